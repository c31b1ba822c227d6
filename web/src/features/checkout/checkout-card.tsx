import { planChangeAddress } from '../../catalog/plan-names'
import type { SelectedPlan } from '../../catalog/selected-plan'
import { classNames } from '../../lib/class-names'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { ManagePlan } from '../../parts/manage-plan'
import { checkout as texts } from '../../texts/checkout'
import { Button, ButtonLink } from '../../ui/button'
import { Card } from '../../ui/card'
import styles from './checkout.module.css'
import type { CheckoutScreen } from './use-checkout'

/** A page with the provider's script and its heading. */
export function CheckoutFrame({ title, children }: { title: string; children: Elements }) {
  return (
    <div className={styles.page}>
      <h1 className="title-md">{title}</h1>
      {children}
    </div>
  )
}

/** One message instead of the form. */
export function CheckoutCard({
  title,
  text,
  tone = 'plain',
  art,
  children,
}: {
  title: string
  text: string
  tone?: 'plain' | 'bad' | 'good'
  art?: Elements
  children?: Elements
}) {
  return (
    <Card className={classNames(styles.message, styles[tone])}>
      {art}
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div className={styles.actions}>{children}</div>}
    </Card>
  )
}

/** Why there is no form, and what can be done about it. */
export function RefusedCard({
  screen: { refusal, plan, priceCentavos },
  onRetry,
  onAccept,
}: {
  screen: Extract<CheckoutScreen, { kind: 'refused' }>
  onRetry: () => void
  onAccept: (plan: SelectedPlan, priceCentavos: bigint | null, coupon: 'keep' | 'drop') => void
}) {
  const back = (
    <ButtonLink href={paths.plans} variant="secondary">
      {texts.back}
    </ButtonLink>
  )
  if (refusal === 'subscribed')
    return (
      <CheckoutCard title={texts.subscribed.title} text={texts.subscribed.text}>
        <ButtonLink href={planChangeAddress(plan?.planId)}>{texts.subscribed.change}</ButtonLink>
        <ManagePlan variant="secondary" />
        {back}
      </CheckoutCard>
    )
  if (refusal === 'coupon' && plan) {
    const { title, text, textWithoutPrice, go } = texts.coupon
    const price = priceCentavos === null ? null : formatCentavos(priceCentavos)
    return (
      <CheckoutCard title={title} text={price ? text(price, plan.period) : textWithoutPrice}>
        <Button onClick={() => onAccept(plan, priceCentavos, 'drop')}>{go}</Button>
        {back}
      </CheckoutCard>
    )
  }
  if (refusal === 'price' && plan && priceCentavos !== null) {
    const now = formatCentavos(priceCentavos)
    return (
      <CheckoutCard title={texts.price.title} text={texts.price.text(plan.price, now)}>
        <Button onClick={() => onAccept(plan, priceCentavos, 'keep')}>{texts.price.go(now)}</Button>
        {back}
      </CheckoutCard>
    )
  }
  const text = refusal === 'down' ? texts.down.title : texts.error.setup
  return (
    <CheckoutCard title={texts.error.title} text={text} tone="bad">
      <ButtonLink href={paths.plans}>{texts.back}</ButtonLink>
      {plan && (
        <Button variant="quiet" onClick={onRetry}>
          {texts.error.retry}
        </Button>
      )}
    </CheckoutCard>
  )
}
