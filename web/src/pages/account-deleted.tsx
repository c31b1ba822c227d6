import { AccountDeleted } from '../features/account/own-data/account-deleted'

export default function AccountDeletedPage() {
  return <AccountDeleted />
}
