import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function AccountPage() {
  return <h1>{meta[paths.account].title}</h1>
}
