import { formatMoment } from '../../lib/dates'
import { type Centavos, formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { trialNote as texts } from '../../texts/upsell'
import { ButtonLink } from '../../ui/button'
import styles from './trial.module.css'
import { useTrial } from './use-trial'

/** What is charged today and until when the trial runs, for whoever is in it. */
export function TrialNote({ todayCentavos }: { todayCentavos?: Centavos }) {
  const trial = useTrial()
  if (trial.kind !== 'running') return null
  const amount = todayCentavos === undefined ? undefined : formatCentavos(todayCentavos)
  return (
    <section className={styles.note} aria-label={texts.title}>
      <div>
        <p className={styles.title}>{texts.title}</p>
        <p>{texts.text(formatMoment(trial.end))}</p>
        <p>{chargeText(trial.firstChargeAt, amount)}</p>
      </div>
      <ButtonLink to={paths.account} variant="secondary" size="sm">
        {texts.stay}
      </ButtonLink>
    </section>
  )
}

/** What a purchase made now costs, and when. */
export function chargeText(firstChargeAt: Date | null, amount?: string): string {
  if (firstChargeAt) {
    const when = formatMoment(firstChargeAt)
    return amount === undefined ? texts.later(when) : texts.laterAmount(amount, when)
  }
  return amount === undefined ? texts.charged : texts.chargedAmount(amount)
}
