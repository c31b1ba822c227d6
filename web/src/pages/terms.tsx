import { staticPart } from '../lib/static-part'

const Content = staticPart(() => import('../features/company/terms'))

export default function TermsPage() {
  return <Content />
}
