import { call } from '../../../api/call'
import { useAction } from '../../../forms/use-action'
import { emailCheckError, emailCheck as texts } from '../../../texts/account-settings'
import { Button } from '../../../ui/button'
import styles from '../settings.module.css'

/** A quiet line while nobody confirmed the email: buying does not wait for it. */
export function EmailCheck() {
  const { busy, run } = useAction(
    'email',
    async () => {
      await call(({ auth }) => auth.requestEmailVerification({}))
      return { title: texts.sent, description: texts.sentText }
    },
    emailCheckError,
  )
  return (
    <div className={styles.check}>
      <p>
        <strong>{texts.title}</strong>
      </p>
      <p>{texts.text}</p>
      <Button size="sm" variant="secondary" busy={busy} onClick={run}>
        {busy ? texts.sending : texts.again}
      </Button>
    </div>
  )
}
