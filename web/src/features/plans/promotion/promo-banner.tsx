import { useEffect, useState } from 'react'
import type { PromotionContent } from '../../../catalog/deals'
import { classNames } from '../../../lib/class-names'
import { loadConfig } from '../../../lib/config'
import { endOfDayInSaoPaulo } from '../../../lib/dates'
import { serverNow } from '../../../lib/server-clock'
import { SECOND_MS } from '../../../lib/timers'
import { promo as texts } from '../../../texts/promo'
import { Button } from '../../../ui/button'
import { Countdown } from '../../../ui/countdown'
import { useCopy } from '../../../ui/use-copy'
import styles from './promo-banner.module.css'

/** The coupon to copy, and for some codes how long today's price holds. */
export function PromoBanner({ promotion, pending }: { promotion: PromotionContent; pending: boolean }) {
  const { countdown, couponCode, message, special } = promotion
  const end = useEndOfDay(countdown)
  const { shown, copy } = useCopy<HTMLElement>(texts.copied)
  return (
    <section
      className={classNames(styles.banner, special && styles.special)}
      aria-label={texts.coupon}
      data-pending={pending || undefined}
    >
      <div className={classNames(styles.inner, countdown && styles.counted)}>
        <p className={styles.label}>
          <span>{message}</span>
        </p>
        <div className={styles.ticket}>
          <code ref={shown} className={styles.code}>
            {couponCode}
          </code>
          <Button size="sm" onClick={() => void copy(couponCode)}>
            {texts.copy}
          </Button>
        </div>
        {countdown && (
          <>
            <p className={styles.label}>{texts.today}</p>
            <div className={styles.clock}>
              {end && <Countdown end={end} parts={['hours', 'minutes', 'seconds']} />}
            </div>
          </>
        )}
        {/* Only the build writes it: without scripts nobody reads the code of the address. */}
        <noscript>{import.meta.env.SSR && <p className="quiet">{texts.standard}</p>}</noscript>
      </div>
    </section>
  )
}

/**
 * 23:59:59 of today in São Paulo by the server's clock, and of the next day once it is over. Null
 * until the clock is known.
 */
function useEndOfDay(wanted: boolean): Date | null {
  const [end, setEnd] = useState<Date | null>(null)
  useEffect(() => {
    const look = () => setEnd(endOfDayInSaoPaulo(serverNow()))
    if (end) {
      const timer = setTimeout(look, end.getTime() - serverNow().getTime() + SECOND_MS)
      return () => clearTimeout(timer)
    }
    // The visitor's own clock has to do when the server's cannot be asked.
    if (wanted) loadConfig().then(look, look)
  }, [wanted, end])
  return end
}
