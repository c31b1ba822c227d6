import { useMemo } from 'react'
import { read, remove, write } from '../lib/browser-storage'
import { type Centavos, priceRaw, storedPrice } from '../lib/money'
import { useStored } from '../lib/use-stored'
import type { CardPlan } from './catalog'
import type { Coupon } from './coupon'
import type { Deal } from './deals'
import { type Interval, intervals } from './intervals'
import { planIdOf, planName } from './plan-names'

/** The choice of a plans page or of /upsell. */
export interface SelectedPlan extends Coupon {
  planId: string
  /** As shown: 'R$ 97,90'. */
  price: string
  period: '/mês' | '/3 meses' | '/6 meses' | '/ano'
  /** '97.90'. Shown and tracked only: the server never trusts it. */
  priceRaw: string
  /** A plan's card stores 'month', an offer of the month 'monthly'. */
  interval: 'month' | 'monthly' | 'trimestral' | 'semestral' | 'anual'
}

/**
 * The same in storage and in messages between tabs, under fixed names: the plan by its display
 * name.
 */
export type StoredPlan = Omit<SelectedPlan, 'planId'> & { name: string }

/** A plan at the first payment of a period, with the coupon of that price. */
function choiceAt(
  planId: string,
  { interval, period }: Pick<SelectedPlan, 'interval' | 'period'>,
  centavos: Centavos,
  coupon: Coupon | null,
): SelectedPlan {
  return {
    planId,
    price: storedPrice(centavos),
    period,
    priceRaw: priceRaw(centavos),
    interval,
    couponCode: coupon?.couponCode || null,
    couponId: coupon?.couponId || null,
  }
}

/** The choice of a plan's card: the month, at the first-month price shown. */
export function cardChoice(plan: CardPlan, deal: Deal | null): SelectedPlan {
  const shown = deal?.firstMonthCentavos ?? plan.monthlyCentavos
  return choiceAt(plan.id, { interval: 'month', period: '/mês' }, shown, deal)
}

/** The choice of a period. */
export function periodChoice(
  planId: string,
  { stored, period }: Interval,
  centavos: Centavos,
  coupon: Coupon | null,
): SelectedPlan {
  return choiceAt(planId, { interval: stored, period }, centavos, coupon)
}

export function toStoredPlan({ planId, ...rest }: SelectedPlan): StoredPlan {
  return { name: planName(planId), ...rest }
}

/** A choice that was read from storage or from a message; null for anything else. */
export function parseStoredPlan(value: unknown): SelectedPlan | null {
  if (typeof value !== 'object' || value === null) return null
  const { name, price, period, priceRaw, interval, couponCode, couponId } = value as Record<string, unknown>
  const isOptionalText = (text: unknown) => text === null || text === undefined || typeof text === 'string'
  const isPlan =
    typeof name === 'string' &&
    name !== '' &&
    typeof price === 'string' &&
    intervals.some((known) => known.period === period) &&
    /^\d+(\.\d+)?$/.test(String(priceRaw)) &&
    (interval === 'month' || intervals.some(({ stored }) => stored === interval)) &&
    isOptionalText(couponCode) &&
    isOptionalText(couponId)
  if (!isPlan) return null
  const plan = { planId: planIdOf(name), price, period, priceRaw, interval } as SelectedPlan
  return {
    ...plan,
    couponCode: (couponCode as string | null | undefined) ?? null,
    couponId: (couponId as string | null | undefined) ?? null,
  }
}

export function readSelectedPlan(): SelectedPlan | null {
  return parse(read('selectedPlan'))
}

/** The chosen plan, for rendering. */
export function useSelectedPlan(): SelectedPlan | null {
  const stored = useStored('selectedPlan')
  return useMemo(() => parse(stored), [stored])
}

/**
 * The choice that a plans page cleared, until a plan is chosen, something is paid or the user signs
 * out.
 */
export function readClearedPlan(): SelectedPlan | null {
  return parse(read('clearedPlan'))
}

function parse(stored: string | null): SelectedPlan | null {
  try {
    return parseStoredPlan(JSON.parse(stored ?? 'null'))
  } catch {
    return null
  }
}

export function writeSelectedPlan(plan: SelectedPlan): void {
  remove('clearedPlan')
  write('selectedPlan', JSON.stringify(toStoredPlan(plan)))
}
