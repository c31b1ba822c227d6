import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call, warmUp } from '../../api/call'
import { useGo } from '../../lib/go'
import { paths } from '../../lib/paths'
import { useSession } from '../../lib/session'
import { useToasts } from '../../lib/toasts'
import { useBusy } from '../../lib/use-busy'
import { type DeadLink, deadLink, resetError, reset as texts } from '../../texts/recovery'
import { Button, ButtonLink } from '../../ui/button'
import { Field } from '../../ui/field'
import { Link } from '../../ui/link'
import { AuthPage } from './auth-page'
import styles from './auth-page.module.css'
import { useResetCode } from './use-reset-code'
import { at, checkNewPassword, type FormError, type NewPasswordField, passwordHint } from './validation'

/** /redefinir-senha: a new password by the code of the mailed link. Opening the link uses nothing up. Design section 5. */
export function ResetForm() {
  const code = useResetCode()
  const [dead, setDead] = useState<DeadLink | null>(code ? null : 'missing')
  return dead || !code ? (
    <DeadLinkCard why={dead ?? 'missing'} />
  ) : (
    <NewPassword code={code} onDead={setDead} />
  )
}

function NewPassword({ code, onDead }: { code: string; onDead: (why: DeadLink) => void }) {
  const go = useGo()
  const { recheck } = useSession()
  const { show } = useToasts()
  const [password, setPassword] = useState('')
  const [error, setError] = useState<FormError<NewPasswordField> | null>(null)
  const { busy, isBusy, setBusy } = useBusy()
  const form = useRef<HTMLFormElement>(null)

  const refuse = (refusal: FormError<NewPasswordField>) => {
    setError(refusal)
    show({ kind: 'error', title: refusal.message, about: 'form' })
    if (refusal.field) form.current?.querySelector<HTMLInputElement>(`[name=${refusal.field}]`)?.focus()
  }

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy()) return
    const repeated = String(new FormData(event.currentTarget).get('repeated') ?? '')
    const wrong = checkNewPassword({ password, repeated })
    if (wrong) return refuse(wrong)
    setError(null)
    setBusy(true)
    try {
      await call(({ auth }) => auth.confirmPasswordReset({ code, newPassword: password }))
    } catch (cause) {
      setBusy(false)
      const refusal = resetError(reasonOf(cause))
      if ('dead' in refusal) {
        show({ kind: 'error', title: deadLink[refusal.dead].title, about: 'form' })
        return onDead(refusal.dead)
      }
      return refuse(
        refusal.weak ? at('password', refusal.text) : { message: refusal.text, field: null, marked: [] },
      )
    }
    // A session of this account in this browser has ended with all the others.
    await recheck()
    show({ kind: 'success', title: texts.success, description: texts.successText, about: 'form' })
    go(paths.login, { replace: true })
  }

  const errorAt = (name: NewPasswordField) => (error?.field === name ? error.message : null)
  const invalid = (name: NewPasswordField) => error?.marked.includes(name) || undefined
  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <form
        ref={form}
        className={styles.form}
        method="post"
        noValidate
        onSubmit={submit}
        onFocus={() => void warmUp()}
      >
        <Field
          label={texts.password}
          name="password"
          type="password"
          autoComplete="new-password"
          live
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            if (error?.field === 'password') setError(null)
          }}
          error={passwordHint(password) ?? errorAt('password')}
          aria-invalid={invalid('password')}
        />
        <Field
          label={texts.repeated}
          name="repeated"
          type="password"
          autoComplete="new-password"
          error={errorAt('repeated')}
          aria-invalid={invalid('repeated')}
        />
        {error?.field === null && <p className={styles.failure}>{error.message}</p>}
        <Button type="submit" size="lg" wide busy={busy}>
          {busy ? texts.submitting : texts.submit}
        </Button>
      </form>
      <p className={styles.foot}>
        <Link to={paths.login}>{texts.back}</Link>
      </p>
    </AuthPage>
  )
}

/** What to do when the link opens nothing. It takes the place of a form, so its heading takes the focus. */
function DeadLinkCard({ why }: { why: DeadLink }) {
  const { title, lead } = deadLink[why]
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (why !== 'missing') card.current?.focus()
  }, [why])
  return (
    <AuthPage title={title} lead={lead}>
      <div ref={card} className={styles.form} tabIndex={-1}>
        <ButtonLink to={paths.forgotPassword} size="lg" wide>
          {texts.askAgain}
        </ButtonLink>
      </div>
      <p className={styles.foot}>
        <Link to={paths.login}>{texts.back}</Link>
      </p>
    </AuthPage>
  )
}
