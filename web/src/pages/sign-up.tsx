import { SignUpForm } from '../features/auth/sign-up-form'

export default function SignUpPage() {
  return <SignUpForm />
}
