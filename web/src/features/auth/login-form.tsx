import { type SubmitEvent, useRef, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call, warmUp } from '../../api/call'
import { readSelectedPlan } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { useSession } from '../../lib/session'
import { useToasts } from '../../lib/toasts'
import { useBusy } from '../../lib/use-busy'
import { loginError, login as texts } from '../../texts/login'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Link } from '../../ui/link'
import { PageLoading } from '../../ui/spinner'
import { AuthPage, GoogleButton } from './auth-page'
import styles from './auth-page.module.css'
import { loginWay, useWayOn } from './use-way-on'
import { checkLogin, type FormError } from './validation'

type Name = 'email' | 'password'

/** /login: email and password. Spec section 2, login; section 4, login flow. */
export function LoginForm() {
  const { waiting, sending, leave } = useWayOn(loginWay)
  const { signedIn } = useSession()
  const { show } = useToasts()
  const [error, setError] = useState<FormError<Name> | null>(null)
  const { busy, isBusy, setBusy } = useBusy()
  const form = useRef<HTMLFormElement>(null)
  const plan = readSelectedPlan()

  const refuse = (refusal: FormError<Name>) => {
    setError(refusal)
    show({ kind: 'error', title: refusal.message, about: 'form' })
    const focus = refusal.field ?? 'password'
    form.current?.querySelector<HTMLInputElement>(`[name=${focus}]`)?.focus()
  }

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy()) return
    const data = new FormData(event.currentTarget)
    const values = { email: String(data.get('email') ?? ''), password: String(data.get('password') ?? '') }
    const wrong = checkLogin(values)
    if (wrong) return refuse(wrong)
    setError(null)
    setBusy(true)
    sending.current = true
    try {
      const { user } = await call(({ auth }) =>
        auth.signIn({ email: values.email.trim().toLowerCase(), password: values.password }),
      )
      if (!user) throw new Error('SignIn answered without a user')
      signedIn({ uid: user.uid, email: user.email, displayName: user.displayName })
      show({ kind: 'success', title: texts.success, about: 'form' })
      leave(loginWay)
    } catch (cause) {
      sending.current = false
      setBusy(false)
      refuse({ message: loginError(reasonOf(cause)), field: null, marked: [] })
    }
  }

  if (waiting) return <PageLoading />
  const errorAt = (name: Name) => (error?.field === name ? error.message : null)
  return (
    <AuthPage title={texts.title} lead={plan ? texts.plan(plan.name) : texts.lead}>
      <form
        ref={form}
        className={styles.form}
        method="post"
        noValidate
        onSubmit={submit}
        onFocus={() => void warmUp()}
      >
        <Field
          label={texts.email}
          name="email"
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={texts.emailPlaceholder}
          error={errorAt('email')}
          aria-invalid={error?.marked.includes('email') || undefined}
        />
        <Field
          label={texts.password}
          name="password"
          type="password"
          autoComplete="current-password"
          error={errorAt('password')}
          aria-invalid={error?.marked.includes('password') || undefined}
        />
        <p className={styles.forgot}>
          <Link to={paths.forgotPassword}>{texts.forgot}</Link>
        </p>
        {error?.field === null && <p className={styles.failure}>{error.message}</p>}
        <Button type="submit" size="lg" wide busy={busy}>
          {busy ? texts.submitting : texts.submit}
        </Button>
      </form>
      <GoogleButton label={texts.google} or={texts.or} />
      <p className={styles.foot}>
        {texts.noAccount} <Link to={paths.signUp}>{texts.signUp}</Link>
      </p>
    </AuthPage>
  )
}
