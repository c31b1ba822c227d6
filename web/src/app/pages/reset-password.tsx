export { ResetForm as default } from '../../features/auth/reset-form'
