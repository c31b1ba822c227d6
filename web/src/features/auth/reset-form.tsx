import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { reasonOf } from '../../api/app-error'
import { call, warmUp } from '../../api/call'
import { useForm } from '../../forms/use-form'
import { checkNewPassword, learnPasswordRules, type NewPasswordField } from '../../forms/validation'
import { writeTab } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { useToasts } from '../../lib/toasts'
import { useSession } from '../../session/session'
import { type DeadLink, deadLink, resetError, reset as texts } from '../../texts/recovery'
import { ButtonLink } from '../../ui/button'
import { NewPasswordFields } from '../../ui/chosen-password-field'
import { Form } from '../../ui/form'
import form from '../../ui/form.module.css'
import { Link } from '../../ui/link'
import { AuthPage } from './auth-page'
import styles from './auth-page.module.css'
import type { Arrival } from './carried-email'
import { useLinkedCode } from './use-linked-code'

/**
 * /redefinir-senha: a new password by the code of the mailed link. Opening the link uses nothing
 * up.
 */
export function ResetForm() {
  const code = useLinkedCode('resetCode')
  const [dead, setDead] = useState<DeadLink | null>(code ? null : 'missing')
  useEffect(() => {
    if (!code) return
    // An old link is reported before a new password is typed. Without a response it
    // is reported when the form is sent.
    call(({ auth }) => auth.checkPasswordReset({ code })).catch((cause) => {
      const refusal = resetError(reasonOf(cause), {})
      if (!('dead' in refusal)) return
      writeTab('resetCode', null)
      setDead(refusal.dead)
    })
  }, [code])
  if (dead || !code) return <DeadLinkCard why={dead ?? 'missing'} />
  return <NewPassword code={code} onDead={setDead} />
}

function NewPassword({ code, onDead }: { code: string; onDead: (why: DeadLink) => void }) {
  const navigate = useNavigate()
  const { recheck } = useSession()
  const { show } = useToasts()
  const { bound, field } = useForm<NewPasswordField>({
    check: (typed) => checkNewPassword({ password: typed('password'), repeated: typed('repeated') }),
    send: async (typed) => {
      const newPassword = typed('password')
      const { email } = await call(({ auth }) => auth.confirmPasswordReset({ code, newPassword }))
      writeTab('resetCode', null)
      // A session of this account in this browser has ended with all the others.
      await recheck()
      const arrival: Arrival = { email, isReset: true }
      navigate(paths.login, { replace: true, state: arrival })
    },
    explain: (cause) => {
      const refusal = resetError(reasonOf(cause), learnPasswordRules(cause))
      if (!('dead' in refusal)) return { text: refusal.text, field: refusal.weak ? 'password' : null }
      writeTab('resetCode', null)
      show({ kind: 'error', title: deadLink[refusal.dead].title, about: 'form' })
      onDead(refusal.dead)
      return null
    },
  })

  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <Form {...bound} texts={texts} onFocus={warmUp}>
        <NewPasswordFields texts={texts} field={field} />
      </Form>
      <p className={styles.foot}>
        <Link to={paths.login}>{texts.back}</Link>
      </p>
    </AuthPage>
  )
}

/**
 * What to do when the link opens nothing. It takes the place of a form, so its heading takes the
 * focus.
 */
function DeadLinkCard({ why }: { why: DeadLink }) {
  const { title, lead } = deadLink[why]
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (why !== 'missing') card.current?.focus()
  }, [why])
  return (
    <AuthPage title={title} lead={lead}>
      <div ref={card} className={form.form} tabIndex={-1}>
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
