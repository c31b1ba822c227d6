import { useEffect, useState } from 'react'
import { useCampaign } from '../../../attribution/campaign'
import { campaignButton, campaignLastDay, campaignSubtitle, campaignTitle } from '../../../catalog/catalog'
import { campaignOffer } from '../../../catalog/deals'
import { usePromoCode } from '../../../catalog/kept-promotion'
import { classNames } from '../../../lib/class-names'
import { loadConfig } from '../../../lib/config'
import { clockText, useCountdown } from '../../../lib/countdown'
import { endOfDayOfYear } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { anchors } from '../../../lib/paths'
import { serverNow } from '../../../lib/server-clock'
import { useSeemsSignedIn } from '../../../session/session'
import { rejects } from '../../../texts/hero-art'
import { hero as texts } from '../../../texts/landing'
import { ButtonLink } from '../../../ui/button'
import { Price } from '../../../ui/price'
import { Sieve } from '../../../ui/sieve'
import { TrialLink, TrialNote } from '../trial/trial-link'
import styles from './hero.module.css'
import PostDemo from './post-demo'

/** The first impression: the promise, and the sieve in the light with the finished post in front of it. */
export function Hero() {
  const offer = useCampaign() === 'black-november' ? campaignOffer : undefined
  return (
    <section className={classNames(styles.hero, offer && 'at-night')}>
      <div className={styles.inner}>
        <div className={styles.copy}>{offer ? <CampaignCopy offer={offer} /> : <Copy />}</div>
        <div className={styles.scene}>
          <Sieve className={styles.sieve} gravel nuggets rejects={rejects} />
          <div className={styles.demo}>
            <PostDemo />
          </div>
        </div>
      </div>
    </section>
  )
}

const { ordinary, campaign } = texts

function Copy() {
  const toPlans = (
    <ButtonLink size="lg" variant="secondary" to={`#${anchors.plans}`}>
      {ordinary.plans}
    </ButtonLink>
  )
  return (
    <>
      <h1 className={styles.title}>{ordinary.title}</h1>
      <p className={styles.lead}>{ordinary.lead}</p>
      <div className={styles.actions}>
        <TrialLink toPlans={toPlans} />
      </div>
      <TrialNote className={styles.note} />
    </>
  )
}

/** Black November sells a price: its amount, what comes after it, and how long it holds. */
function CampaignCopy({ offer: { plan, firstMonthCentavos } }: { offer: NonNullable<typeof campaignOffer> }) {
  const signedIn = useSeemsSignedIn()
  const hasCoupon = usePromoCode() !== null && !signedIn
  return (
    <>
      <p className={styles.overline}>{hasCoupon ? campaign.coupon : campaignTitle}</p>
      <h1 className={styles.title}>
        <span>{campaign.price(plan.name)}</span>{' '}
        <span className={styles.amount}>
          <Price centavos={firstMonthCentavos} size="xl" />
        </span>{' '}
        <span>{campaign.month}</span>
      </h1>
      <p className={styles.lead}>
        <span>{campaign.later(formatCentavos(plan.monthlyCentavos))}</span> <span>{campaignSubtitle}</span>
      </p>
      <div className={styles.actions}>
        <ButtonLink size="lg" variant="gold" to={`#${anchors.plans}`}>
          {campaignButton}
        </ButtonLink>
        <TrialLink variant="secondary" />
      </div>
      <CampaignEnd />
    </>
  )
}

/** The last day, and the time that is left once the server's clock is known. */
function CampaignEnd() {
  const [end, setEnd] = useState<Date | null>(null)
  useEffect(() => {
    loadConfig().then(
      () => setEnd(endOfDayOfYear(campaignLastDay, serverNow())),
      () => undefined,
    )
  }, [])
  return (
    <p className={styles.note}>
      <span>{campaign.until(campaignLastDay)}</span>
      {end && <Left end={end} />}
    </p>
  )
}

function Left({ end }: { end: Date }) {
  const left = useCountdown(end)
  if (left.over) return null
  return <span className={styles.left}>{campaign.left(clockText(left))}</span>
}
