/** Messages of the backend: one of each kind, and what a test changes of it. */
import { readFileSync } from 'node:fs'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import {
  BoletoSchema,
  GetCheckoutSessionResponseSchema,
  GetSubscriptionResponseSchema,
  InvoiceSchema,
  ListUpsellOffersResponseSchema,
  PlanSchema,
  PreviewPlanChangeResponseSchema,
  PromotionSchema,
  RefundSchema,
  SubscriptionSchema,
  type UpsellOffer,
  UpsellOfferSchema,
} from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../web/src/gen/garimpo/billing/v1/plan_pb'

export const DAY_MS = 86_400_000

/** The time in so many days; negative for the past. */
export const inDays = (days: number): Timestamp => timestampFromMs(Date.now() + days * DAY_MS)

interface CatalogPrice {
  interval: string
  original_centavos: number | null
  price_centavos: number
  percent_off: number
  monthly_saving_centavos: number
}
interface CatalogPlan {
  id: string
  name: string
  group: string
  for_sale: boolean
  limits: Record<string, number | null>
  features: string[]
  prices: CatalogPrice[]
}
const catalog: { all_plans: CatalogPlan[] } = JSON.parse(
  readFileSync(new URL('../../web/src/gen/catalog.json', import.meta.url), 'utf8'),
)

const INTERVALS: Readonly<Record<string, { id: PlanInterval; name: string; months: number }>> = {
  monthly: { id: PlanInterval.MONTHLY, name: 'Mensal', months: 1 },
  trimestral: { id: PlanInterval.QUARTERLY, name: 'Trimestral', months: 3 },
  semestral: { id: PlanInterval.SEMIANNUAL, name: 'Semestral', months: 6 },
  anual: { id: PlanInterval.ANNUAL, name: 'Anual', months: 12 },
}
const intervalOf = (name: string) => INTERVALS[name] ?? { id: PlanInterval.UNSPECIFIED, name, months: 1 }

const UNLIMITED = { case: 'unlimited' as const, value: true }

/** The plans for sale, without a campaign. */
export const plans = catalog.all_plans
  .filter(({ for_sale }) => for_sale)
  .map((plan) =>
    create(PlanSchema, {
      id: plan.id,
      name: plan.name,
      group: plan.group,
      forSale: plan.for_sale,
      prices: plan.prices.map((price) => ({
        interval: intervalOf(price.interval).id,
        originalCentavos: BigInt(price.original_centavos ?? price.price_centavos),
        priceCentavos: BigInt(price.price_centavos),
      })),
      limits: Object.entries(plan.limits).map(([resource, max]) => ({
        resource,
        amount: max === null ? UNLIMITED : { case: 'max' as const, value: BigInt(max) },
      })),
      features: plan.features.map((name) => ({ name, enabled: true })),
    }),
  )

function catalogPlan(id: string): CatalogPlan {
  const plan = catalog.all_plans.find((one) => one.id === id)
  if (!plan) throw new Error(`the catalogue has no plan ${id}`)
  return plan
}

const reais = (centavos: number) =>
  (centavos / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' })

/** The longer periods of a plan as offers, without a coupon. */
export function offersOf(planId: string) {
  const { name, prices } = catalogPlan(planId)
  const month = prices.find(({ interval }) => interval === 'monthly')?.price_centavos ?? 0
  return create(ListUpsellOffersResponseSchema, {
    planId,
    planName: name,
    selectedPriceCentavos: BigInt(month),
    monthlyPriceCentavos: BigInt(month),
    offers: prices.filter(({ interval }) => interval !== 'monthly').map((price) => offerOf(price, month)),
  })
}

function offerOf(price: CatalogPrice, month: number): UpsellOffer {
  const { name, months } = intervalOf(price.interval)
  const isPopular = price.interval === 'semestral'
  const extra = price.price_centavos - month
  return create(UpsellOfferSchema, {
    id: price.interval,
    title: `Plano ${name}`,
    description: `Pague ${reais(extra)} a mais agora.`,
    extraAmountCentavos: BigInt(extra),
    originalPriceCentavos: BigInt(price.original_centavos ?? price.price_centavos),
    priceCentavos: BigInt(price.price_centavos),
    discount: price.percent_off,
    savingsAmountCentavos: BigInt(price.monthly_saving_centavos),
    features: ['Um', 'Dois', 'Três', 'Quatro'],
    featuresTitle: 'O que vem',
    planName: name,
    interval: price.interval,
    highlight: isPopular,
    badge: isPopular ? 'Mais Popular' : 'Economia',
    renewalPriceCentavos: BigInt(price.price_centavos),
    monthlyEquivalentCentavos: BigInt(Math.round(price.price_centavos / months)),
  })
}

/** What a subscription by the month has of its plan. */
export function monthlyOf(planId: string) {
  const { name, prices } = catalogPlan(planId)
  const month = BigInt(prices.find(({ interval }) => interval === 'monthly')?.price_centavos ?? 0)
  return { planId, planName: name, priceCentavos: month, nextPaymentCentavos: month }
}

/** Elite Nível 2 by the month, active and paid by card, in its guarantee. */
export const subscription = (changes: MessageInitShape<typeof SubscriptionSchema> = {}) =>
  create(SubscriptionSchema, {
    ...monthlyOf('elite_nivel_2'),
    interval: PlanInterval.MONTHLY,
    status: 'active',
    active: true,
    startsAt: inDays(-1),
    endsAt: inDays(29),
    paymentMethod: 'card',
    refundableUntil: inDays(6),
    refundableCentavos: 21_790n,
    refundMethod: 'card',
    ...changes,
  })

type SubscriptionChanges = Parameters<typeof subscription>[0]

/** Each status of a subscription that a page shows. */
export const subscriptions = {
  active: {},
  /** Bought in the trial, at whose end it is first charged. */
  trialing: { status: 'trialing', active: undefined, startsAt: undefined, endsAt: inDays(6) },
  canceledAtPeriodEnd: { cancelAtPeriodEnd: true, nextPaymentCentavos: undefined },
  awaitingBoleto: {
    status: 'awaiting_payment',
    active: undefined,
    paymentMethod: 'boleto',
    startsAt: undefined,
    endsAt: undefined,
  },
  awaitingConfirmation: {
    status: 'awaiting_payment',
    active: undefined,
    startsAt: undefined,
    endsAt: undefined,
  },
  /** The renewal was declined, and access goes on for a few days. */
  pastDue: { status: 'past_due', active: true, endsAt: inDays(-1) },
  suspended: { status: 'suspended', active: false, endsAt: inDays(-5) },
  authentication: { status: 'suspended', active: false, endsAt: inDays(-1), needsAuthentication: true },
  disputed: { status: 'suspended', active: false, suspendedReason: 'payment_disputed' },
  ended: { status: 'canceled', active: false, endsAt: inDays(-1), nextPaymentCentavos: undefined },
} satisfies Record<string, SubscriptionChanges>

/** What GetSubscription returns in the free trial; with a subscription, beside it. */
export const accountState = (changes: MessageInitShape<typeof GetSubscriptionResponseSchema> = {}) =>
  create(GetSubscriptionResponseSchema, { trialEndsAt: inDays(7), serverTime: inDays(0), ...changes })

const BOLETO_LINE = '00190000090312345678901234567890199999000021790'

/** An open boleto of R$ 217,90. */
export const boleto = (changes: MessageInitShape<typeof BoletoSchema> = {}) =>
  create(BoletoSchema, {
    line: BOLETO_LINE,
    amountCentavos: 21_790n,
    dueAt: inDays(3),
    voucherUrl: 'https://provider.invalid/boleto',
    barcode: '00191999900002179000000003123456789012345678',
    ...changes,
  })

/** The paid invoice of the purchase. */
export const invoice = (changes: MessageInitShape<typeof InvoiceSchema> = {}) =>
  create(InvoiceSchema, {
    id: 'in_1',
    totalCentavos: 21_790n,
    status: 'paid',
    createdAt: inDays(-1),
    paidAt: inDays(-1),
    paymentMethod: 'card',
    receiptUrl: 'https://provider.invalid/receipt',
    reason: 'purchase',
    planId: 'elite_nivel_2',
    interval: PlanInterval.MONTHLY,
    number: '0001',
    ...changes,
  })

/** An open checkout of Elite Nível 2 by the month. */
export const checkout = (changes: MessageInitShape<typeof GetCheckoutSessionResponseSchema> = {}) =>
  create(GetCheckoutSessionResponseSchema, {
    status: 'open',
    paymentStatus: 'unpaid',
    planId: 'elite_nivel_2',
    interval: PlanInterval.MONTHLY,
    amountTotalCentavos: 21_790n,
    ...changes,
  })

/** A requested refund of R$ 217,90 by Pix. */
export const refund = (changes: MessageInitShape<typeof RefundSchema> = {}) =>
  create(RefundSchema, {
    protocol: '2026-1130-0001',
    amountCentavos: 21_790n,
    pixCentavos: 21_790n,
    method: 'pix',
    state: 'requested',
    requestedAt: inDays(0),
    dueAt: inDays(30),
    ...changes,
  })

/** A promotion of 10% on the first month. */
export const promotion = (changes: MessageInitShape<typeof PromotionSchema> = {}) =>
  create(PromotionSchema, {
    couponCode: 'NOVO10',
    couponId: 'novo10',
    title: 'Sua primeira assinatura com 10% de desconto',
    subtitle: 'Escolha um plano e pague menos no primeiro mês.',
    discount: 10,
    promoMessage: 'Cupom de primeira assinatura: 10% no primeiro pagamento.',
    subtextNew: 'no 1º mês',
    prices: catalog.all_plans.map(({ id, prices }) => {
      const month = prices.find(({ interval }) => interval === 'monthly')?.price_centavos ?? 0
      const first = Math.round(month * 0.9)
      return { planId: id, priceCentavos: BigInt(month), firstMonthCentavos: BigInt(first) }
    }),
    ...changes,
  })

/** From Elite Nível 2 to Elite Nível 3 by the month, R$ 30,00 to pay now. */
export const preview = (changes: MessageInitShape<typeof PreviewPlanChangeResponseSchema> = {}) =>
  create(PreviewPlanChangeResponseSchema, {
    amountDueCentavos: 3_000n,
    previewToken: 'preview-1',
    nextPaymentAt: inDays(29),
    nextPaymentCentavos: 24_790n,
    lines: [
      { planId: 'elite_nivel_2', interval: PlanInterval.MONTHLY, amountCentavos: -21_000n },
      {
        planId: 'elite_nivel_3',
        interval: PlanInterval.MONTHLY,
        amountCentavos: 24_000n,
        startsAt: inDays(0),
        endsAt: inDays(29),
      },
    ],
    paymentMethod: 'card',
    planId: 'elite_nivel_3',
    interval: PlanInterval.MONTHLY,
    expiresAt: inDays(0.01),
    ...changes,
  })
