import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { AppError, reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { intervalOf } from '../../../catalog/intervals'
import { planName } from '../../../catalog/plan-names'
import type {
  ChangePlanResponse,
  PlanChangeConfirmation,
  PreviewPlanChangeResponse,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import type { PlanInterval } from '../../../gen/garimpo/billing/v1/plan_pb'
import { readTab, writeTab } from '../../../lib/browser-storage'
import { CHARGE_TIMEOUT_MS } from '../../../lib/timers'
import { useRequestId } from '../../../lib/use-request-id'
import { type PlanChangeFailure, planChangeError, planChange as texts } from '../../../texts/plan-change'

/** A plan and how long one payment of it lasts. */
export interface PlanChoice {
  planId: string
  interval: PlanInterval
}

/**
 * A plan that was chosen outside of the dialog; without a period, the one that is paid for now
 * stays.
 */
export type WantedPlan = Pick<PlanChoice, 'planId'> & Partial<PlanChoice>

/**
 * Keeps a choice in this tab while the provider's portal is open, because the portal leads back to
 * the account's plain address.
 */
export function keepChoice({ planId, interval }: PlanChoice): void {
  writeTab('planChoice', `${planId} ${interval}`)
}

/** The paid plan. */
export interface PresentPlan extends PlanChoice {
  cancelAtPeriodEnd: boolean
}

/**
 * A plan change: the provider's preview of a choice, then its confirmation. A retry repeats the
 * request id, so that a lost response charges nobody twice. A declined card ends the request.
 */
export type PlanChange = ReturnType<typeof usePlanChange>

export function usePlanChange(onChanged: (answer: ChangePlanResponse) => void) {
  const [preview, setPreview] = useState<PreviewPlanChangeResponse | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const [waiting, setWaiting] = useState<PlanChangeConfirmation | null>(null)
  const request = useRequestId()

  const ask = async ({ planId, interval }: PlanChoice) => {
    setPreview(await call(({ billing }) => billing.previewPlanChange({ planId, interval })))
    request.renew()
  }
  const change = async ({ previewToken, ...choice }: PreviewPlanChangeResponse) => {
    const asked = { previewToken, requestId: request.current() }
    try {
      const answer = await call(({ billing }) => billing.changePlan(asked, { timeoutMs: CHARGE_TIMEOUT_MS }))
      if (answer.confirmation) setWaiting(answer.confirmation)
      else onChanged(answer)
      request.renew()
    } catch (cause) {
      if (reasonOf(cause) !== 'PREVIEW_EXPIRED') throw cause
      await ask(choice)
      setNotice(texts.review.renewed)
    }
  }
  const {
    isPending: busy,
    error,
    variables,
    mutate,
    reset,
  } = useMutation({
    mutationFn: (step: { review: PlanChoice } | { confirm: PreviewPlanChangeResponse }) =>
      'review' in step ? ask(step.review) : change(step.confirm),
    onMutate: () => setNotice(null),
    onError: (cause) => {
      console.warn('the plan change failed', cause)
      if (reasonOf(cause) === 'PAYMENT_DECLINED') request.renew()
    },
  })

  return {
    busy,
    preview,
    failure: error && failureOf(error, variables !== undefined && 'confirm' in variables),
    notice,
    /** The confirmed change, if the bank requires a confirmation by its payer. */
    waiting,
    /** Reads the present cost of a change. */
    review: (choice: PlanChoice) => mutate({ review: choice }),
    /** Makes the previewed change. An expired preview is replaced by a new one instead. */
    confirm: () => preview && mutate({ confirm: preview }),
    /** Back to the choice. */
    leave: () => {
      setPreview(null)
      setWaiting(null)
      setNotice(null)
      reset()
    },
  }
}

function failureOf(cause: Error, charges: boolean): PlanChangeFailure {
  const declined = cause instanceof AppError ? cause.metadata.decline_code : undefined
  return planChangeError(reasonOf(cause), declined, charges)
}

/** 'Elite Nível 1, anual'; an unknown period is left out. */
export function planAndPeriod({ planId, interval }: PlanChoice): string {
  const period = intervalOf(interval)?.name
  return period ? texts.planAndPeriod(planName(planId), period) : planName(planId)
}

/** The choice that `keepChoice` stored before the portal; null without one. */
export function keptChoice(): PlanChoice | null {
  const [planId, named] = readTab('planChoice')?.split(' ') ?? []
  const interval = intervalOf(Number(named))
  return planId && interval ? { planId, interval: interval.id } : null
}

export function forgetChoice(): void {
  writeTab('planChoice', null)
}
