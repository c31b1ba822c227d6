export { AccountConfirmation as default } from '../../features/trial/account-confirmation'
