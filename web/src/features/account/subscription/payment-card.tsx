import { useNavigate } from 'react-router-dom'
import { planName } from '../../../catalog/plan-names'
import { readSelectedPlan, writeSelectedPlan } from '../../../catalog/selected-plan'
import { remove, writeTab } from '../../../lib/browser-storage'
import { classNames } from '../../../lib/class-names'
import { paths } from '../../../lib/paths'
import { BoletoSlip } from '../../../parts/boleto'
import { account } from '../../../texts/account'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { NewTabLink } from '../../../ui/new-tab-link'
import { supportLink } from '../../../ui/support-link'
import styles from '../account.module.css'
import { refreshAccount } from '../use-account'
import { type Payment, type Purchase, sameAgain } from './payment'
import { RefreshButton } from './status-cards'

type OpenPayment = Exclude<Payment, { kind: 'none' }>

/** An open payment, and the actions for it. */
export function PaymentCard({ payment }: { payment: OpenPayment }) {
  const { title, text, actions } = contentOf(payment)
  return (
    <Card className={classNames(styles.card, styles.payment)} aria-label={title} aria-live="polite">
      <h2>{title}</h2>
      <p>{text}</p>
      {/* Its code is what a phone's bank app asks for: copying it is the main action. */}
      {payment.kind === 'boleto' && <BoletoSlip boleto={payment.boleto} />}
      <div className={styles.actions}>
        {actions}
        {payment.kind !== 'expired' && (
          <NewTabLink href={supportLink(account.payment.receiptMessage)} variant="secondary">
            {account.payment.receipt}
          </NewTabLink>
        )}
      </div>
    </Card>
  )
}

function contentOf(payment: OpenPayment) {
  const { boleto, confirming, overdue, expired } = account.payment
  switch (payment.kind) {
    case 'boleto':
      return {
        title: payment.pays === 'suspended' ? boleto.suspended : boleto.title,
        text: boleto.text[payment.pays],
        actions: payment.boleto.voucherUrl && (
          <NewTabLink href={payment.boleto.voucherUrl} variant="secondary">
            {boleto.open}
          </NewTabLink>
        ),
      }
    case 'confirming':
      return {
        ...confirming,
        actions: <RefreshButton>{confirming.again}</RefreshButton>,
      }
    case 'overdue':
      return { ...overdue, actions: <BuyAgain purchase={payment.purchase} text={overdue.another} /> }
    case 'expired':
      return {
        title: expired.title,
        text: expired.text(planName(payment.purchase.planId)),
        actions: (
          <>
            <BuyAgain purchase={payment.purchase} text={expired.retry} />
            <Button
              variant="quiet"
              onClick={() => {
                remove('checkoutClientSecret')
                writeTab('lapsedSeen', payment.purchase.id ?? null)
                void refreshAccount()
              }}
            >
              {expired.dismiss}
            </Button>
          </>
        ),
      }
  }
}

/** Back to the offers with the same plan and period. */
function BuyAgain({ purchase, text }: { purchase: Purchase; text: string }) {
  const navigate = useNavigate()
  return (
    <Button
      onClick={() => {
        const choice = sameAgain(purchase)
        // The choice itself may still be there, with its coupon.
        if (readSelectedPlan()?.planId !== choice.planId) writeSelectedPlan(choice)
        remove('upsellEndTime')
        navigate(paths.upsell)
      }}
    >
      {text}
    </Button>
  )
}
