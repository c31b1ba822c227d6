import { Bio } from '../features/company/bio'

export default function BioPage() {
  return <Bio />
}
