import { staticPart } from '../lib/static-part'

const Content = staticPart(() => import('../features/company/about'))

export default function AboutPage() {
  return <Content />
}
