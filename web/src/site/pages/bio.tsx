import { Bio } from '../../features/company/bio'
import PostDemo from '../../features/landing/home/post-demo'

export default function BioPage() {
  return <Bio picture={<PostDemo />} />
}
