import { useEffect, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { Refund } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate } from '../../../lib/dates'
import type { Elements } from '../../../lib/elements'
import { paths, WANTED_PLAN } from '../../../lib/paths'
import { useRequestId } from '../../../lib/use-request-id'
import { cancellation, guarantee } from '../../../texts/billing'
import { PlanChangeDialog } from '../plan-change/plan-change-dialog'
import type { WantedPlan } from '../plan-change/use-plan-change'
import { forgetChoice, keptChoice } from '../plan-change/use-plan-change'
import { GuaranteeCard, RefundDialog } from '../refund/refund-cards'
import { refreshAccount } from '../use-account'
import { mayChangePlan } from './account-status'
import { CancelDialog } from './cancel-dialog'
import type { News } from './news-note'
import { type ShownSubscription, SubscriptionCard } from './subscription-card'

/** The subscription with everything that can be done to it; each ends in news. */
export function Subscription({
  email,
  hasLostTrial,
  onNews,
  steps,
  ...shown
}: ShownSubscription & {
  email: string
  /** Whether the first payment ended a trial that would run now. */
  hasLostTrial: boolean
  onNews: (news: News, refund?: Refund) => void
  /** Below the card. */
  steps: Elements
}) {
  const { view, balance } = shown
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const named = query.get(WANTED_PLAN)
  const [wanted, setWanted] = useState<WantedPlan | null>(() => (named ? { planId: named } : keptChoice()))
  const [dialog, setDialog] = useState<'change' | 'cancel' | 'refund' | null>(
    wanted && mayChangePlan(view) ? 'change' : null,
  )
  // Used once, because a reload must not open the dialog again.
  useEffect(forgetChoice, [])
  // Outside of their dialogs, so that a try in a second dialog has the id of the first.
  const [cancelRequest, refundRequest] = [useRequestId(), useRequestId()]
  const { plan, end, details } = view
  const close = () => {
    setDialog(null)
    setWanted(null)
    forgetChoice()
    // The address names its plan once: a reload does not open the dialog again. Back closes the
    // dialog too, and the address is the earlier page's by then.
    if (named && location.pathname === paths.account) navigate(paths.account, { replace: true })
    // What was tried in the dialog may have happened without an answer.
    refreshAccount()
  }
  return (
    <>
      <SubscriptionCard
        {...shown}
        onChange={() => setDialog('change')}
        onChangeEnded={onNews}
        onCancel={() => setDialog('cancel')}
        onResumed={(until) => onNews(resumed(until ?? end))}
      />
      {steps}
      {details && (
        <>
          <GuaranteeCard subscription={details} onOpen={() => setDialog('refund')} />
          {dialog === 'change' && (
            <PlanChangeDialog present={details} wanted={wanted} onClose={close} onChanged={onNews} />
          )}
          {dialog === 'cancel' && (
            <CancelDialog
              view={view}
              credit={balance.credit}
              request={cancelRequest}
              onClose={close}
              onCanceled={onNews}
              onRefund={() => setDialog('refund')}
              onChange={(planId) => {
                setWanted({ planId })
                setDialog('change')
              }}
            />
          )}
          {dialog === 'refund' && (
            <RefundDialog
              subscription={details}
              plan={plan}
              credit={balance.credit}
              email={email}
              hasLostTrial={hasLostTrial}
              request={refundRequest}
              onClose={close}
              onRefunded={(refund) =>
                onNews({ title: guarantee.done.title.requested, text: guarantee.done.text }, refund)
              }
            />
          )}
        </>
      )}
    </>
  )
}

function resumed(end: Date | null): News {
  const { title, text, undated } = cancellation.resumed
  return { title, text: end ? text(formatDate(end)) : undated }
}
