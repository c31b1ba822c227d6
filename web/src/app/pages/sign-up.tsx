export { SignUpForm as default } from '../../features/auth/sign-up-form'
