export { ConfirmEmail as default } from '../../features/auth/confirm-email'
