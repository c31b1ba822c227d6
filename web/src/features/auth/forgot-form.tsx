import { useEffect, useRef, useState } from 'react'
import { askPasswordReset, ResetRefused } from '../../api/password-reset'
import { useForm } from '../../forms/use-form'
import { fieldError, isEmail } from '../../forms/validation'
import { paths } from '../../lib/paths'
import { useToasts } from '../../lib/toasts'
import { forgot as texts } from '../../texts/recovery'
import { Button } from '../../ui/button'
import { EmailField } from '../../ui/email-field'
import { Form } from '../../ui/form'
import { Link } from '../../ui/link'
import { AuthPage } from './auth-page'
import styles from './auth-page.module.css'
import { type CarriedEmail, useCarriedEmail } from './carried-email'

/** /esqueci-senha: form, then what was sent, then back to the form. */
export function ForgotForm() {
  const [email, setEmail] = useCarriedEmail()
  const carried: CarriedEmail = { email: email.trim() }
  const [sentTo, setSentTo] = useState<string | null>(null)
  return (
    <AuthPage title={texts.title} lead={sentTo ? undefined : texts.lead}>
      {sentTo ? (
        <Sent email={sentTo} onRetry={() => setSentTo(null)} />
      ) : (
        <Ask email={email} onType={setEmail} onSent={() => setSentTo(carried.email)} />
      )}
      <p className={styles.foot}>
        <Link to={paths.login} state={carried}>
          {texts.back}
        </Link>
      </p>
    </AuthPage>
  )
}

function Ask({
  email,
  onType,
  onSent,
}: {
  email: string
  onType: (email: string) => void
  onSent: () => void
}) {
  const { show } = useToasts()
  const { bound, field } = useForm<'email'>({
    check: () => (isEmail(email) ? null : fieldError('email', texts.invalid)),
    send: async () => {
      await askPasswordReset(email.trim())
      show({ kind: 'success', title: texts.sent.toast, description: texts.sent.toastText, about: 'form' })
      onSent()
    },
    explain: (cause) => ({
      text: (cause instanceof ResetRefused && cause.message) || texts.failed.text,
      field: null,
    }),
    title: texts.failed.toast,
  })
  return (
    <Form {...bound} texts={texts}>
      <EmailField
        label={texts.email}
        autoComplete="username"
        enterKeyHint="send"
        placeholder={texts.emailPlaceholder}
        value={email}
        onChange={(event) => onType(event.currentTarget.value)}
        {...field('email')}
      />
    </Form>
  )
}

/** The form is gone, so the notice takes the focus. */
function Sent({ email, onRetry }: { email: string; onRetry: () => void }) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => notice.current?.focus(), [])
  return (
    <>
      <div ref={notice} className={styles.sent} tabIndex={-1}>
        <p>
          <span>{texts.sent.before}</span>
          <strong>{email}</strong>
          <span>{texts.sent.after}</span>
        </p>
        <p>{texts.sent.note}</p>
      </div>
      <Button variant="secondary" size="lg" wide onClick={onRetry}>
        {texts.sent.again}
      </Button>
    </>
  )
}
