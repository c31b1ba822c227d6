import { ForgotForm } from '../features/auth/forgot-form'

export default function ForgotPasswordPage() {
  return <ForgotForm />
}
