import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function HomePage() {
  return <h1>{meta[paths.home].title}</h1>
}
