import { AppError, type Metadata } from '../api/app-error'
import { login } from '../texts/login'
import { reset } from '../texts/recovery'
import { type SignUpField, signUp } from '../texts/sign-up'
import { isPhone } from './phone-mask'

/**
 * For quick errors only: the server decides. Both are tested with the cases of
 * `tests/vectors/signup.json`.
 */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
/**
 * The shortest new password. An operator may ask for a longer one, which this page learns when one
 * is refused.
 */
let passwordMin = 6
/** The longest one. Refused here, because the server's refusal has neither minimum nor list. */
const PASSWORD_MAX = 128

/** The rules that a refused password broke. A longer minimum holds here from now on. */
export function learnPasswordRules(cause: unknown): Metadata {
  const metadata = cause instanceof AppError && cause.reason === 'WEAK_PASSWORD' ? cause.metadata : {}
  passwordMin = Math.max(passwordMin, Number(metadata.minimum) || 0)
  return metadata
}

/** The shortest password that the form accepts now. */
export const shortestPassword = () => passwordMin

export type SignUpValues = Record<SignUpField, string>

/** Error of a form: one message, its position, and every field that it marks. */
export interface FormError<Name extends string> {
  message: string
  /** The field that shows the message and gets the focus. Null: the message is under the form. */
  field: Name | null
  marked: readonly Name[]
  /** Each of `marked` is empty, and shows the message. */
  kind?: 'required'
  /** Errors of other fields, shown at the same time. */
  others?: readonly FormError<Name>[] | undefined
}

/** Every rule that a sign-up breaks, the first of them in front; null when it breaks none. */
export function checkSignUp(values: SignUpValues): FormError<SignUpField> | null {
  const missing = (['name', 'email', 'password'] as const).filter((field) =>
    field === 'password' ? values.password === '' : values[field].trim() === '',
  )
  const errors: FormError<SignUpField>[] = missing[0] ? [missingFields(missing, signUp.errors.missing)] : []
  if (values.email.trim() !== '' && !isEmail(values.email))
    errors.push(fieldError('email', signUp.errors.email))
  if (values.whatsapp.trim() !== '' && !isPhone(values.whatsapp))
    errors.push(fieldError('whatsapp', signUp.errors.whatsapp))
  const wrong = passwordHint(values.password)
  if (wrong) errors.push(fieldError('password', wrong))
  return together(errors)
}

/** Several errors as one: the first, with the others beside it. */
export function together<Name extends string>(errors: readonly FormError<Name>[]): FormError<Name> | null {
  const [first, ...others] = errors
  if (!first) return null
  return others.length > 0 ? { ...first, others } : first
}

/**
 * The live message under the password, while it is too short (at first, with 1 to 5 characters) or
 * too long.
 */
export function passwordHint(password: string): string | null {
  // As the server counts: code points after NFC.
  const { length } = [...password.normalize('NFC')]
  if (length > PASSWORD_MAX) return signUp.errors.passwordLong
  return length > 0 && length < passwordMin ? signUp.errors.password(passwordMin) : null
}

/** Whether a text is an email, blanks around it aside. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text.trim())
}

export type NewPasswordField = 'password' | 'repeated'

/** A new password is typed twice. */
export function checkNewPassword(
  values: Record<NewPasswordField, string>,
): FormError<NewPasswordField> | null {
  const missing = (['password', 'repeated'] as const).filter((field) => values[field] === '')
  if (missing[0]) return missingFields(missing, reset.errors.missing)
  const wrong = passwordHint(values.password)
  if (wrong) return fieldError('password', wrong)
  if (values.password !== values.repeated)
    return { message: reset.errors.different, field: 'repeated', marked: ['repeated', 'password'] }
  return null
}

export type LoginField = 'email' | 'password'

/** Both fields of the login are required. */
export function checkLogin(values: Record<LoginField, string>): FormError<LoginField> | null {
  const missing: LoginField[] = []
  if (values.email.trim() === '') missing.push('email')
  if (values.password === '') missing.push('password')
  return missing[0] ? missingFields(missing, login.missing) : null
}

/** An error of required fields that are empty: each shows it, and the first takes the focus. */
export function missingFields<Name extends string>(
  missing: readonly Name[],
  message: string,
): FormError<Name> {
  return { message, field: missing[0] ?? null, marked: missing, kind: 'required' }
}

/** An error that belongs to one field. */
export function fieldError<Name extends string>(field: Name, message: string): FormError<Name> {
  return { message, field, marked: [field] }
}
