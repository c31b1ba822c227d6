import { useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { useToasts } from '../../../lib/toasts'
import { emailCheckError, emailCheck as texts } from '../../../texts/account-settings'
import { Button } from '../../../ui/button'
import styles from '../settings.module.css'

/** A quiet line while nobody confirmed the email: buying does not wait for it. */
export function EmailCheck() {
  const { show } = useToasts()
  const [sending, setSending] = useState(false)
  const send = async () => {
    setSending(true)
    try {
      await call(({ auth }) => auth.requestEmailVerification({}))
      show({ kind: 'success', title: texts.sent, description: texts.sentText, about: 'email' })
    } catch (cause) {
      show({ kind: 'error', title: emailCheckError(reasonOf(cause)), about: 'email' })
    } finally {
      setSending(false)
    }
  }
  return (
    <div className={styles.check}>
      <p>
        <strong>{texts.title}</strong>
      </p>
      <p>{texts.text}</p>
      <Button size="sm" variant="secondary" busy={sending} onClick={send}>
        {sending ? texts.sending : texts.again}
      </Button>
    </div>
  )
}
