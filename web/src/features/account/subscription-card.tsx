import { classNames } from '../../lib/class-names'
import { formatDate, formatMoment } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { account } from '../../texts/account'
import { brand } from '../../texts/brand'
import { intervalNames } from '../../texts/intervals'
import { Button, ButtonLink } from '../../ui/button'
import { Card } from '../../ui/card'
import { Countdown } from '../../ui/countdown'
import styles from './account.module.css'
import { ManagePlan } from './manage-plan'
import { type Held, isUnpaid } from './standing'
import { statusLabel } from './subscription-status'

/** Plan, status, start and end, with 'Gerenciar Plano' and 'Fazer Upgrade'. Spec section 2, user area. */
export function SubscriptionCard({ held }: { held: Held }) {
  const texts = account.subscription
  const { start, end, details } = held
  const label = statusLabel(held.active, held.status)
  const live = held.active === true
  const interval = details && intervalNames[details.interval]
  return (
    <Card className={styles.card} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      {isUnpaid(held) && (
        <div className={styles.unpaid}>
          <h3>{texts.unpaid.title}</h3>
          <p>{texts.unpaid.text}</p>
          <ManagePlan text={texts.unpaid.update} />
        </div>
      )}
      <dl className={styles.facts}>
        <div>
          <dt>{texts.plan}</dt>
          <dd>{held.plan}</dd>
        </div>
        <div>
          <dt>{texts.status}</dt>
          <dd className={classNames(styles.status, styles[label.tone])}>{label.text}</dd>
        </div>
        {interval && (
          <div>
            <dt>{texts.interval}</dt>
            <dd>{interval}</dd>
          </div>
        )}
        {details && details.priceCentavos > 0n && (
          <div>
            <dt>{texts.price}</dt>
            <dd>{formatCentavos(details.priceCentavos)}</dd>
          </div>
        )}
        <div>
          <dt>{texts.start}</dt>
          <dd>{start ? formatDate(start) : texts.missing}</dd>
        </div>
        <div>
          <dt>{texts.end}</dt>
          <dd>{end ? formatDate(end) : texts.missing}</dd>
        </div>
      </dl>
      {live && details && end && (
        <p className={styles.quiet}>
          {details.cancelAtPeriodEnd ? texts.ending(formatDate(end)) : texts.renews(formatDate(end))}
        </p>
      )}
      <div className={styles.actions}>
        <ManagePlan variant={isUnpaid(held) ? 'secondary' : 'primary'} />
        {/* Until a change of plan exists, the portal changes a live one (issue 3). */}
        {live ? (
          <ManagePlan text={texts.upgrade} variant="secondary" />
        ) : (
          <ButtonLink to={paths.plans} variant="secondary">
            {texts.upgrade}
          </ButtonLink>
        )}
      </div>
    </Card>
  )
}

/** No subscription, and the trial runs. */
export function TrialCard({ end }: { end: Date }) {
  const texts = account.trial
  return (
    <Card className={styles.card}>
      <h2>{texts.title}</h2>
      <p>{texts.text}</p>
      <Countdown end={end} parts={['days', 'hours', 'minutes']} />
      <p className={styles.quiet}>{texts.until(formatMoment(end))}</p>
      <div className={styles.actions}>
        <ButtonLink href={brand.links.app_login} rel="noopener">
          {texts.app}
        </ButtonLink>
        <ButtonLink to={paths.plans} variant="secondary">
          {texts.plans}
        </ButtonLink>
      </div>
    </Card>
  )
}

/** No subscription, and the account is older than the trial. */
export function NoSubscriptionCard() {
  const texts = account.none
  return (
    <Card className={styles.card}>
      <h2>{texts.title}</h2>
      <p>{texts.text}</p>
      <div className={styles.actions}>
        <ButtonLink to={paths.plans}>{texts.plans}</ButtonLink>
      </div>
    </Card>
  )
}

/** Neither read was answered: no verdict, but another try. Spec section 8. */
export function UnknownCard({ busy, onAgain }: { busy: boolean; onAgain: () => void }) {
  const texts = account.unknown
  return (
    <Card className={styles.card}>
      <h2>{texts.title}</h2>
      <p>{texts.text}</p>
      <div className={styles.actions}>
        <Button busy={busy} onClick={onAgain}>
          {texts.again}
        </Button>
      </div>
    </Card>
  )
}
