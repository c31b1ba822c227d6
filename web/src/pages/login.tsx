import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function LoginPage() {
  return <h1>{meta[paths.login].title}</h1>
}
