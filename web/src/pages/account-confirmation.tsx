import { AccountConfirmation } from '../features/trial/account-confirmation'

export default function AccountConfirmationPage() {
  return <AccountConfirmation />
}
