export { ForgotForm as default } from '../../features/auth/forgot-form'
