import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function PlansPage() {
  return <h1>{meta[paths.plans].title}</h1>
}
