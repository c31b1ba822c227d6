import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function SignUpPage() {
  return <h1>{meta[paths.signUp].title}</h1>
}
