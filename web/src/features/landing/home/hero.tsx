import { useEffect, useState } from 'react'
import { useCampaign } from '../../../attribution/campaign'
import { campaignEnd } from '../../../catalog/campaign-end'
import { campaignButton, campaignLastDay, campaignSubtitle, campaignTitle } from '../../../catalog/catalog'
import { campaignOffer } from '../../../catalog/deals'
import { usePromoCode } from '../../../catalog/kept-promotion'
import { classNames } from '../../../lib/class-names'
import { loadConfig } from '../../../lib/config'
import { clockText, useCountdown } from '../../../lib/countdown'
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

/** The first impression: the promise, and the sieve in the light behind the finished post. */
export function Hero() {
  const [isOver, setOver] = useState(false)
  const offer = useCampaign() === 'black-november' && !isOver ? campaignOffer : undefined
  return (
    <section className={classNames(styles.hero, offer && 'at-night')}>
      <div className={styles.inner}>
        <div className={styles.copy}>
          {offer ? <CampaignCopy offer={offer} onOver={() => setOver(true)} /> : <Copy />}
        </div>
        <div className={styles.scene}>
          <Sieve className={styles.sieve} gravel nuggets rejects={rejects} />
          <div className={styles.demo}>
            <PostDemo />
            <GoldTrail />
          </div>
        </div>
      </div>
    </section>
  )
}

/** Gold that flies from the sieve to the percent of the post: the nugget is the discount. */
function GoldTrail() {
  return (
    <svg className={styles.trail} viewBox="0 0 130 110" fill="none" aria-hidden="true">
      <path fill="var(--ouro)" fillOpacity=".5" d="M0 8C54 10 98 44 120 104 92 56 52 22 0 12z" />
      <path fill="#ffe9a6" fillOpacity=".9" d="M0 9C50 14 88 40 112 88 86 46 48 19 0 11z" />
      {[
        [16, 6, 5],
        [43, 26, 6.5],
        [68, 30, 8],
        [84, 58, 9.5],
        [111, 68, 11],
      ].map(([x = 0, y, r]) => (
        <g transform={`translate(${x} ${y}) scale(${r})`} key={x}>
          <path fill="#cf8a09" d="M-.9-.3-.3-1 .6-.8 1 .1.5.9-.5.9z" />
          <path fill="#ffcf4f" d="M-.9-.3-.3-1 .6-.8 0 .1z" />
          <path fill="#fff0bd" d="M-.9-.3-.3-1 0 .1z" />
          <path fill="#9c6200" d="M1 .1.5.9-.5.9 0 .1z" />
        </g>
      ))}
    </svg>
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
function CampaignCopy({
  offer: { plan, firstMonthCentavos },
  onOver,
}: {
  offer: NonNullable<typeof campaignOffer>
  onOver: () => void
}) {
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
      <CampaignEnd onOver={onOver} />
    </>
  )
}

/**
 * The last day, and the time that is left once the server's clock is known. Without both if the
 * operator runs the campaign at another time of the year.
 */
function CampaignEnd({ onOver }: { onOver: () => void }) {
  const [end, setEnd] = useState<Date | null>()
  useEffect(() => {
    loadConfig().then(
      () => setEnd(campaignEnd(serverNow())),
      () => undefined,
    )
  }, [])
  if (end === null) return null
  return (
    <p className={styles.note}>
      <span>{campaign.until(campaignLastDay)}</span>
      {end && <Left end={end} onOver={onOver} />}
    </p>
  )
}

function Left({ end, onOver }: { end: Date; onOver: () => void }) {
  const left = useCountdown(end, onOver)
  return (
    <span className={styles.left}>
      {left.days > 1 ? campaign.daysLeft(left.days) : campaign.left(clockText(left))}
    </span>
  )
}
