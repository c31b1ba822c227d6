import { paths } from '../lib/paths'
import { meta } from '../texts/meta'

export default function AccountConfirmationPage() {
  return <h1>{meta[paths.accountConfirmation].title}</h1>
}
