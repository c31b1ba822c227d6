export { LoginForm as default } from '../../features/auth/login-form'
