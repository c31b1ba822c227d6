import { Button } from '../../../ui/button'
import styles from '../settings.module.css'

/** In place of what could not be read. */
export function ReadFailed({
  texts,
  onRetry,
}: {
  texts: { failed: string; retry: string }
  onRetry: () => void
}) {
  return (
    <div className={styles.check} role="alert">
      <p>{texts.failed}</p>
      <Button size="sm" variant="secondary" onClick={onRetry}>
        {texts.retry}
      </Button>
    </div>
  )
}
