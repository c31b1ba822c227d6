import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function UpsellPage() {
  return <h1>{meta[paths.upsell].title}</h1>
}
