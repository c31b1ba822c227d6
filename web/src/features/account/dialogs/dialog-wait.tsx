import { Button } from '../../../ui/button'
import form from '../../../ui/form.module.css'
import { Spinner } from '../../../ui/spinner'
import styles from '../settings.module.css'

/** A dialog whose content is on its way, or did not come. */
export function DialogWait({
  failed,
  texts,
  onBack,
  onRetry,
}: {
  failed: boolean
  texts: { loading: string; failed: string; back: string; retry: string }
  onBack: () => void
  onRetry: () => void
}) {
  return (
    <>
      {failed ? (
        <p role="alert">{texts.failed}</p>
      ) : (
        <p className={styles.wait} role="status">
          <Spinner size="sm" />
          <span>{texts.loading}</span>
        </p>
      )}
      <div className={form.actions}>
        <Button variant="quiet" onClick={onBack}>
          {texts.back}
        </Button>
        {failed && <Button onClick={onRetry}>{texts.retry}</Button>}
      </div>
    </>
  )
}
