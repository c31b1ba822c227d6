import { create } from '@bufbuild/protobuf'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { useForm } from '../../../forms/use-form'
import {
  type Refund,
  RefundSchema,
  type Subscription,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { classNames } from '../../../lib/class-names'
import { formatDate, formatMoment, toDate, toTimestamp } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { sentences } from '../../../lib/sentences'
import { serverNow } from '../../../lib/server-clock'
import { CHARGE_TIMEOUT_MS } from '../../../lib/timers'
import type { RequestId } from '../../../lib/use-request-id'
import { guarantee, refund as texts } from '../../../texts/billing'
import { refundError, refundForm } from '../../../texts/billing-dialogs'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import { Bill, Facts } from '../../../ui/facts'
import { useCopy } from '../../../ui/use-copy'
import styles from '../account.module.css'
import { type DialogProps, FormDialog } from '../dialogs/form-dialog'
import { refundState, refundText } from './refund'

/** Money on its way back, with the number to ask for it by. */
export function RefundCard({ refund }: { refund: Refund }) {
  const { shown, copy } = useCopy<HTMLElement>(texts.copied)
  const title = texts.title[refundState(refund)]
  const requestedAt = toDate(refund.requestedAt)
  return (
    <Card className={styles.card} aria-label={title}>
      <h2>{title}</h2>
      <p>{refundText(refund)}</p>
      <Facts
        className={styles.facts}
        facts={[
          [texts.amount, formatCentavos(refund.amountCentavos)],
          requestedAt && [texts.asked, formatDate(requestedAt)],
          [
            texts.protocol,
            <span key="protocol" ref={shown} className={styles.protocol}>
              {refund.protocol}
            </span>,
          ],
        ]}
      />
      <div className={styles.actions}>
        <Button variant="secondary" size="sm" onClick={() => void copy(refund.protocol)}>
          {texts.copy}
        </Button>
      </div>
    </Card>
  )
}

/** The first payment back, while the guarantee holds. */
export function GuaranteeCard({ subscription, onOpen }: { subscription: Subscription; onOpen: () => void }) {
  const until = toDate(subscription.refundableUntil)
  const amount = subscription.refundableCentavos
  if (!until || !amount) return null
  return (
    <section className={classNames(styles.part, styles.deed)} aria-label={guarantee.title}>
      <h2>{guarantee.title}</h2>
      <p className="quiet">{guarantee.text(formatCentavos(amount), formatMoment(until))}</p>
      <Button variant="secondary" size="sm" onClick={onOpen}>
        {guarantee.open}
      </Button>
    </section>
  )
}

/** The whole first payment back: how much, how and when it comes, and that access ends. */
export function RefundDialog({
  subscription,
  plan,
  credit,
  email,
  hasLostTrial,
  request,
  onClose,
  onRefunded,
}: DialogProps & {
  subscription: Subscription
  plan: string
  /** Centavos. */
  credit: bigint
  email: string
  /** Whether the first payment ended a trial that would run now. */
  hasLostTrial: boolean
  request: RequestId
  onRefunded: (refund: Refund) => void
}) {
  const { bound } = useForm<never>({
    send: async () => {
      const asked = { requestId: request.current() }
      const refund = await call(({ billing }) =>
        billing.requestRefund(asked, { timeoutMs: CHARGE_TIMEOUT_MS }),
      )
      request.renew()
      onClose()
      const { protocol, amountCentavos, pixCentavos, dueAt } = refund
      const requestedAt = toTimestamp(serverNow())
      onRefunded(
        create(RefundSchema, {
          protocol,
          amountCentavos,
          pixCentavos,
          dueAt,
          requestedAt,
          state: 'requested',
        }),
      )
    },
    explain: (cause) => ({ text: refundError(reasonOf(cause)), field: null }),
  })
  const amount = subscription.refundableCentavos ?? 0n

  return (
    <FormDialog
      texts={{
        title: refundForm.title,
        back: refundForm.back,
        submit: refundForm.submit(formatCentavos(amount)),
        submitting: refundForm.submitting,
      }}
      {...bound}
      onClose={onClose}
      danger
    >
      <Bill total={[refundForm.amount, amount]} />
      <p>{howText(subscription, amount, email)}</p>
      <p>
        {sentences(refundForm.end(plan), hasLostTrial && refundForm.trial, credit > 0n && refundForm.credit)}
      </p>
    </FormDialog>
  )
}

function howText({ refundPixCentavos: pix }: Subscription, amount: bigint, email: string): string {
  if (pix === 0n) return refundForm.how.card
  const onCard = amount - pix
  return onCard > 0n
    ? refundForm.how.both(formatCentavos(onCard), formatCentavos(pix), email)
    : refundForm.how.pix(email)
}
