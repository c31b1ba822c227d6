import { AccountDeleted } from '../features/account/account-deleted'

export default function AccountDeletedPage() {
  return <AccountDeleted />
}
