import { site } from '../../texts/site'
import { upsell } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Spinner } from '../../ui/spinner'
import styles from './upsell.module.css'
import type { CheckoutPhase } from './use-checkout-tab'

/** Covers the page while the checkout tab is open, while its result is read, and offline. */
export function CheckoutOverlay({
  phase,
  onFocus,
  onAgain,
  onGiveUp,
}: {
  phase: CheckoutPhase
  onFocus: () => void
  onAgain: () => void
  onGiveUp: () => void
}) {
  const texts = upsell.overlay
  const asking = phase === 'asking'
  const offline = phase === 'offline'
  return (
    <Dialog
      open={phase === 'open' || asking || offline}
      title={offline ? site.unheard.title : texts.title}
      onClose={onGiveUp}
      locked
      look="overlay"
    >
      {!offline && <Spinner size="lg" />}
      <p className={styles.overlayText} aria-live="polite">
        {offline ? site.unheard.text : asking ? texts.asking : texts.text}
      </p>
      <div className={styles.overlayActions}>
        <Button onClick={offline ? onAgain : onFocus} aria-disabled={asking}>
          {offline ? site.unheard.again : texts.back}
        </Button>
        <Button variant="quiet" onClick={onGiveUp} aria-disabled={asking}>
          {texts.cancel}
        </Button>
      </div>
    </Dialog>
  )
}
