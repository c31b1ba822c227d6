import { ConfirmEmail } from '../features/auth/confirm-email'

export default function ConfirmEmailPage() {
  return <ConfirmEmail />
}
