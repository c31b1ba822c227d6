import { useEffect, useState } from 'react'
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
import { usePromotion } from './use-promotion'

/**
 * What the code gives: its title, its coupon to copy, and for some codes how long today's price
 * holds.
 */
export function PromoBanner() {
  const { promotion, pending } = usePromotion()
  const end = useEndOfDay(promotion.countdown)
  const { shown, copy } = useCopy<HTMLElement>(texts.copied)

  return (
    <section
      className={classNames(styles.banner, promotion.special && styles.special)}
      aria-labelledby="promo-title"
      data-pending={pending || undefined}
    >
      <div className={styles.inner}>
        <div className={styles.words}>
          <h2 id="promo-title">{promotion.title}</h2>
          <p className={styles.subtitle}>{promotion.subtitle}</p>
        </div>
        <div className={styles.coupon}>
          <p className={styles.message}>{promotion.message}</p>
          <div className={styles.ticket}>
            <span className={styles.label}>{texts.coupon}</span>
            <code ref={shown} className={styles.code}>
              {promotion.couponCode}
            </code>
            <Button size="sm" onClick={() => void copy(promotion.couponCode)}>
              {texts.copy}
            </Button>
          </div>
          {/* Only the build writes it: without scripts nobody reads the code of the address. */}
          <noscript>{import.meta.env.SSR && <p className="quiet">{texts.standard}</p>}</noscript>
        </div>
        {promotion.countdown && (
          <div className={styles.today}>
            <p className={styles.label}>
              <b>{texts.today}</b>
            </p>
            {end ? (
              <Countdown end={end} parts={['hours', 'minutes', 'seconds']} />
            ) : (
              <div className={styles.wait} />
            )}
          </div>
        )}
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
