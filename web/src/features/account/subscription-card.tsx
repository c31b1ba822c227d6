import { useEffect } from 'react'
import { classNames } from '../../lib/class-names'
import { useCountdown } from '../../lib/countdown'
import { formatDate, formatMoment } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { supportLink } from '../../lib/support-link'
import { account } from '../../texts/account'
import { brand } from '../../texts/brand'
import { intervalNames } from '../../texts/intervals'
import { Button, ButtonLink } from '../../ui/button'
import { Card } from '../../ui/card'
import { Countdown } from '../../ui/countdown'
import styles from './account.module.css'
import { ManagePlan } from './manage-plan'
import { type Held, unpaidRenewal } from './standing'
import { statusLabel } from './subscription-status'

/** Plan, status, start and end, with 'Gerenciar Plano' and 'Fazer Upgrade'. Spec section 2, user area. */
export function SubscriptionCard({ held }: { held: Held }) {
  const texts = account.subscription
  const { start, end, details } = held
  const label = statusLabel(held.active, held.status)
  const live = held.active === true
  const unpaid = unpaidRenewal(held)
  const undated = held.active === undefined ? texts.notYet : texts.missing
  const interval = details && intervalNames[details.interval]
  return (
    <Card className={styles.card} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      {unpaid && (
        <div className={styles.unpaid}>
          <h3>{texts.unpaid.title[methodOf(held)]}</h3>
          <p>
            {texts.unpaid.why[methodOf(held)]} {texts.unpaid.access[unpaid]}
          </p>
          <ManagePlan text={texts.unpaid.update} />
        </div>
      )}
      {held.active === false && held.status === 'canceled' && (
        <div className={styles.unpaid}>
          <h3>{texts.over.title}</h3>
          <p>{texts.over.text(held.plan)}</p>
          <ButtonLink to={paths.plans}>{texts.over.plans}</ButtonLink>
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
          <dd>{start ? formatDate(start) : undated}</dd>
        </div>
        <div>
          <dt>{texts.end}</dt>
          <dd>{end ? formatDate(end) : undated}</dd>
        </div>
      </dl>
      {live && details && end && (
        <p className={styles.quiet}>
          {details.cancelAtPeriodEnd ? texts.ending(formatDate(end)) : texts.renews(formatDate(end))}
        </p>
      )}
      <div className={styles.actions}>
        <ManagePlan variant={live && !unpaid ? 'primary' : 'secondary'} />
        {/* Until a change of plan exists (issue 7), both lead to the portal, and the line below says so. */}
        {live ? (
          <ManagePlan text={texts.upgrade} variant="secondary" />
        ) : (
          <ButtonLink to={paths.plans} variant="secondary">
            {texts.upgrade}
          </ButtonLink>
        )}
      </div>
      {live && (
        <p className={styles.quiet}>
          {texts.upgradeHint}{' '}
          <a href={supportLink(texts.upgradeMessage(held.plan))} target="_blank" rel="noopener">
            {texts.upgradeSupport}
          </a>
          {texts.upgradeCost}
        </p>
      )}
    </Card>
  )
}

function methodOf({ details }: Held): 'card' | 'boleto' {
  return details?.paymentMethod === 'boleto' ? 'boleto' : 'card'
}

/** The trial runs: without a subscription, or `beside` a first payment that waits. `onOver` hears of its end. */
export function TrialCard({
  end,
  beside = false,
  onOver,
}: {
  end: Date
  beside?: boolean
  onOver: () => void
}) {
  const texts = account.trial
  const { over } = useCountdown(end)
  useEffect(() => {
    if (over) onOver()
  }, [over, onOver])
  return (
    <Card className={styles.card} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p>{beside ? texts.beside : texts.text}</p>
      <Countdown end={end} parts={['days', 'hours', 'minutes']} />
      <p className={styles.quiet}>{texts.until(formatMoment(end))}</p>
      <div className={styles.actions}>
        <ButtonLink href={brand.links.app_login} rel="noopener" variant={beside ? 'secondary' : 'primary'}>
          {texts.app}
        </ButtonLink>
        {!beside && (
          <ButtonLink to={paths.plans} variant="secondary">
            {texts.plans}
          </ButtonLink>
        )}
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
