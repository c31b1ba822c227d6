import { ResetForm } from '../features/auth/reset-form'

export default function ResetPasswordPage() {
  return <ResetForm />
}
