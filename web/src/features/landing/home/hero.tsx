import { useCampaign } from '../../../attribution/campaign'
import { usePromoCode } from '../../../catalog/kept-promotion'
import { classNames } from '../../../lib/class-names'
import { anchors } from '../../../lib/paths'
import { useSeemsSignedIn } from '../../../session/session'
import { hero as texts } from '../../../texts/landing'
import { ButtonLink } from '../../../ui/button'
import { TrialLink, TrialNote } from '../trial/trial-link'
import styles from './hero.module.css'
import PostDemo from './post-demo'

/** The first impression: the promise, and the sieve that turns loose tags into a finished post. */
export function Hero() {
  const signedIn = useSeemsSignedIn()
  const dark = useCampaign() === 'black-november'
  const hasCoupon = usePromoCode() !== null && !signedIn
  const { title, lead, plans } = dark ? texts.campaign : texts.ordinary
  const toPlans = (
    <ButtonLink size="lg" variant={dark ? 'light' : 'secondary'} to={`#${anchors.plans}`}>
      {plans}
    </ButtonLink>
  )
  return (
    <section className={classNames(styles.hero, dark && styles.dark)}>
      <div className={styles.inner}>
        <div className={styles.copy}>
          {dark && (
            <p className={styles.overline}>{hasCoupon ? texts.campaign.coupon : texts.campaign.overline}</p>
          )}
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.lead}>{lead}</p>
          <div className={styles.actions}>{dark ? toPlans : <TrialLink toPlans={toPlans} />}</div>
          {!dark && <TrialNote className={styles.note} />}
          {dark && !signedIn && <p className={styles.note}>{texts.campaign.note}</p>}
        </div>
        <div className={styles.art}>
          <div className={styles.sieve} />
          <div className={styles.demo}>
            <PostDemo />
          </div>
        </div>
      </div>
    </section>
  )
}
