import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { askPasswordReset } from '../../api/password-reset'
import { useBusy } from '../../forms/use-busy'
import { isEmail } from '../../forms/validation'
import { paths } from '../../lib/paths'
import { useToasts } from '../../lib/toasts'
import { forgot as texts } from '../../texts/recovery'
import { Button } from '../../ui/button'
import { Link } from '../../ui/link'
import { AuthForm, AuthPage } from './auth-page'
import styles from './auth-page.module.css'
import { type CarriedEmail, useCarriedEmail } from './carried-email'
import { EmailField } from './email-field'

/** /esqueci-senha: form, then what was sent, then back to the form. */
export function ForgotForm() {
  const { show } = useToasts()
  const [typed, setTyped] = useCarriedEmail()
  const carried: CarriedEmail = { email: typed.trim() }
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const { busy, isBusy, setBusy } = useBusy()
  const form = useRef<HTMLFormElement>(null)

  const fail = (text: string) =>
    show({ kind: 'error', title: texts.failed.toast, description: text, about: 'form' })

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy()) return
    const email = typed.trim()
    if (!isEmail(email)) {
      setError(texts.invalid)
      fail(texts.invalid)
      form.current?.querySelector<HTMLInputElement>('[name=email]')?.focus()
      return
    }
    setError(null)
    setBusy(true)
    const answer = await askPasswordReset(email)
    setBusy(false)
    if (!answer.ok) return fail(answer.error ?? texts.failed.text)
    show({ kind: 'success', title: texts.sent.toast, description: texts.sent.toastText, about: 'form' })
    setSentTo(email)
  }

  return (
    <AuthPage title={texts.title} lead={sentTo ? undefined : texts.lead}>
      {sentTo ? (
        <Sent email={sentTo} again={() => setSentTo(null)} />
      ) : (
        <AuthForm ref={form} busy={busy} texts={texts} onSubmit={submit}>
          <EmailField
            label={texts.email}
            autoComplete="username"
            placeholder={texts.emailPlaceholder}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setError(null)
            }}
            error={error}
          />
        </AuthForm>
      )}
      <p className={styles.foot}>
        <Link to={paths.login} state={carried}>
          {texts.back}
        </Link>
      </p>
    </AuthPage>
  )
}

/** The form is gone, so the notice takes the focus. */
function Sent({ email, again }: { email: string; again: () => void }) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => notice.current?.focus(), [])
  return (
    <>
      <div ref={notice} className={styles.sent} tabIndex={-1}>
        <p>
          {texts.sent.before}
          <strong>{email}</strong>
          {texts.sent.after}
        </p>
        <p>{texts.sent.note}</p>
      </div>
      <Button variant="secondary" size="lg" wide onClick={again}>
        {texts.sent.again}
      </Button>
    </>
  )
}
