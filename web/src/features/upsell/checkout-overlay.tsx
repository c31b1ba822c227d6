import { upsell } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Spinner } from '../../ui/spinner'
import styles from './upsell.module.css'

/** Covers the page while the checkout tab is open, and while its end is asked of the server. */
export function CheckoutOverlay({
  phase,
  onFocus,
  onGiveUp,
}: {
  phase: 'idle' | 'leaving' | 'open' | 'asking'
  onFocus: () => void
  onGiveUp: () => void
}) {
  const texts = upsell.overlay
  const asking = phase === 'asking'
  return (
    <Dialog open={phase === 'open' || asking} title={texts.title} onClose={onGiveUp} locked look="overlay">
      <Spinner size="lg" />
      <p className={styles.overlayText} aria-live="polite">
        {asking ? texts.asking : texts.text}
      </p>
      <div className={styles.overlayActions}>
        <Button onClick={onFocus} disabled={asking}>
          {texts.back}
        </Button>
        <Button variant="quiet" onClick={onGiveUp} disabled={asking}>
          {texts.cancel}
        </Button>
      </div>
    </Dialog>
  )
}
