import { staticPart } from '../lib/static-part'

const Content = staticPart(() => import('../features/company/privacy'))

export default function PrivacyPage() {
  return <Content />
}
