import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import type { Subscription } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { sentences } from '../../../lib/sentences'
import { serverNow } from '../../../lib/server-clock'
import { CHARGE_TIMEOUT_MS } from '../../../lib/timers'
import { useRequestId } from '../../../lib/use-request-id'
import { refundError, refundForm as texts } from '../../../texts/billing-dialogs'
import { Bill } from '../../../ui/facts'
import { type DialogProps, FormDialog, useDialogForm } from '../dialogs/form-dialog'
import type { RefundSummary } from './refund'

/** The whole first payment back: how much, how and when it comes, and that access ends. */
export function RefundDialog({
  open,
  subscription,
  plan,
  credit,
  email,
  hasLostTrial,
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
  onRefunded: (refund: RefundSummary) => void
}) {
  const { dialog, send, done } = useDialogForm<never>(onClose)
  const request = useRequestId()
  const amount = subscription.refundableCentavos ?? 0n

  const ask = async () => {
    let refund: RefundSummary | null = null
    const sent = await send(
      async () => {
        const asked = { requestId: request.current() }
        const { protocol, amountCentavos, pixCentavos, dueAt } = await call(({ billing }) =>
          billing.requestRefund(asked, { timeoutMs: CHARGE_TIMEOUT_MS }),
        )
        const told = { protocol, amountCentavos, pixCentavos, state: 'requested' } as const
        refund = { ...told, requestedAt: serverNow(), dueAt: toDate(dueAt) }
      },
      (cause) => ({ text: refundError(reasonOf(cause)), field: null }),
    )
    if (!sent || !refund) return
    request.renew()
    done()
    onRefunded(refund)
  }

  return (
    <FormDialog
      open={open}
      texts={{
        title: texts.title,
        back: texts.back,
        submit: texts.submit(formatCentavos(amount)),
        submitting: texts.submitting,
      }}
      {...dialog}
      danger
      onSubmit={ask}
    >
      <Bill total={[texts.amount, amount]} />
      <p>{howText(subscription, amount, email)}</p>
      <p>{sentences(texts.end(plan), hasLostTrial && texts.trial, credit > 0n && texts.credit)}</p>
    </FormDialog>
  )
}

function howText({ refundPixCentavos: pix }: Subscription, amount: bigint, email: string): string {
  if (pix === 0n) return texts.how.card
  const onCard = amount - pix
  return onCard > 0n
    ? texts.how.both(formatCentavos(onCard), formatCentavos(pix), email)
    : texts.how.pix(email)
}
