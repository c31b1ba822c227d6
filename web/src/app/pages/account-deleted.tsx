export { AccountDeleted as default } from '../../features/account/own-data/account-deleted'
