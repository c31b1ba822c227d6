import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import {
  GetSubscriptionResponseSchema,
  SubscriptionSchema,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { UserSchema } from '../../../gen/garimpo/users/v1/user_service_pb'
import {
  accountStatusOf,
  hasLostTrial,
  hasOpenCharge,
  mayCancel,
  mayConclude,
  renewalWaits,
  type SubscriptionView,
  trialBeside,
  unpaidReason,
  unpaidRenewal,
} from './account-status'

const now = new Date('2026-11-21T12:00:00Z')
const later = new Date('2026-11-24T12:00:00Z')
const earlier = new Date('2026-11-10T12:00:00Z')

const subscription = create(SubscriptionSchema, {
  planId: 'elite-nivel-1',
  planName: 'Elite Nível 1',
  status: 'active',
  active: true,
  endsAt: timestampFromDate(later),
})
const subscribed = create(GetSubscriptionResponseSchema, {
  subscription,
  trialEndsAt: timestampFromDate(earlier),
})

test('without the user record, a subscriber still sees the subscription', () => {
  const accountStatus = accountStatusOf({ record: null, answer: subscribed, createdAt: earlier }, now)
  expect(accountStatus).toMatchObject({
    kind: 'subscription',
    view: { plan: 'Elite Nível 1', active: true, status: 'active', end: later },
  })
  expect(mayConclude(accountStatus)).toBe(false)
})

test('without either response there is no status and no invitation to subscribe', () => {
  const accountStatus = accountStatusOf({ record: null, answer: null, createdAt: earlier }, now)
  expect(accountStatus).toEqual({ kind: 'unknown' })
  expect(mayConclude(accountStatus)).toBe(false)
})

test('the user record alone is enough, with or without a plan', () => {
  const record = create(UserSchema, { subscriptionPlan: 'profissional', subscriptionActive: false })
  expect(accountStatusOf({ record, answer: null, createdAt: null }, now)).toMatchObject({
    kind: 'subscription',
    view: { active: false, details: null },
  })
  const without = create(UserSchema, { subscriptionStatus: 'trialing' })
  const created = new Date('2026-11-20T12:00:00Z')
  expect(accountStatusOf({ record: without, answer: null, createdAt: created }, now).kind).toBe('trial')
  expect(accountStatusOf({ record: without, answer: null, createdAt: earlier }, now)).toEqual({
    kind: 'none',
  })
})

test('a response without a subscription is decided by the end of the trial', () => {
  const answer = (end: Date) => create(GetSubscriptionResponseSchema, { trialEndsAt: timestampFromDate(end) })
  const trial = accountStatusOf({ record: null, answer: answer(later), createdAt: null }, now)
  expect(trial).toEqual({ kind: 'trial', end: later })
  expect(mayConclude(trial)).toBe(true)
  expect(accountStatusOf({ record: null, answer: answer(earlier), createdAt: null }, now)).toEqual({
    kind: 'none',
  })
})

test('an unpaid renewal suspends the access, or keeps it for the grace period', () => {
  const view = { plan: 'Elite', start: null, end: null, details: null }
  expect(unpaidRenewal({ ...view, active: false, status: 'suspended' })).toBe('suspended')
  expect(unpaidRenewal({ ...view, active: false, status: 'past_due' })).toBe('suspended')
  expect(unpaidRenewal({ ...view, active: true, status: 'past_due' })).toBe('grace')
  expect(unpaidRenewal({ ...view, active: false, status: 'canceled' })).toBeNull()
  expect(unpaidRenewal({ ...view, active: true, status: 'active' })).toBeNull()
  expect(unpaidRenewal({ ...view, active: undefined, status: 'awaiting_payment' })).toBeNull()
})

test('only an unpaid charge comes before another purchase', () => {
  const view = { plan: 'Elite', active: false, start: null, end: null, details: null }
  const isOpen = (status: SubscriptionView['status']) => hasOpenCharge({ ...view, status })
  expect([isOpen('suspended'), isOpen('past_due')]).toEqual([true, true])
  expect([isOpen('active'), isOpen('canceled'), isOpen('awaiting_payment')]).toEqual([false, false, false])

  const concludes = (status: SubscriptionView['status']) =>
    mayConclude({ kind: 'subscription', view: { ...view, status } })
  expect([concludes('suspended'), concludes('past_due')]).toEqual([false, false])
  expect(concludes('canceled')).toBe(true)
  expect(mayConclude({ kind: 'none' })).toBe(true)

  const details = create(SubscriptionSchema, { suspendedReason: 'payment_disputed' })
  const disputed: SubscriptionView = { ...view, status: 'suspended', details }
  expect([hasOpenCharge(disputed), mayConclude({ kind: 'subscription', view: disputed })]).toEqual([
    false,
    true,
  ])
})

test('a declined first charge is shown, and not as a renewal', () => {
  const refused: SubscriptionView = {
    plan: 'Elite',
    active: undefined,
    status: 'suspended',
    start: null,
    end: null,
    details: create(SubscriptionSchema, { status: 'suspended', paymentMethod: 'card' }),
  }
  expect(unpaidRenewal(refused)).toBe('suspended')
  expect(unpaidReason(refused)).toBe('first')
})

test('a renewal is pending after the end of the period, unless access or subscription ends', () => {
  const paid = {
    plan: 'Elite',
    active: true,
    status: 'active',
    start: earlier,
    details: subscription,
  } as const
  const ending = create(SubscriptionSchema, { ...subscription, cancelAtPeriodEnd: true })
  expect(renewalWaits({ ...paid, end: later }, now)).toBe(false)
  expect(renewalWaits({ ...paid, end: now }, now)).toBe(true)
  expect(renewalWaits({ ...paid, end: earlier }, now)).toBe(true)
  expect(renewalWaits({ ...paid, end: earlier, active: false }, now)).toBe(false)
  expect(renewalWaits({ ...paid, end: earlier, details: ending }, now)).toBe(false)
})

test('the trial is shown beside a pending first payment, and beside nothing else', () => {
  const waiting = {
    kind: 'subscription' as const,
    view: {
      plan: 'Elite',
      active: undefined,
      status: 'awaiting_payment' as const,
      start: null,
      end: null,
      details: null,
    },
  }
  expect(trialBeside(waiting, later, now)).toBe(later)
  expect(trialBeside(waiting, earlier, now)).toBeNull()
  expect(trialBeside({ ...waiting, view: { ...waiting.view, active: true } }, later, now)).toBeNull()
  expect(trialBeside({ kind: 'trial', end: later }, later, now)).toBeNull()
})

test('a buyer who pays at the end of the trial is not invited to buy again', () => {
  const view: SubscriptionView = {
    plan: 'Elite',
    active: undefined,
    status: 'trialing',
    start: null,
    end: null,
    details: null,
  }
  expect(mayConclude({ kind: 'subscription', view })).toBe(false)
})

test('a subscription with access, an open renewal or a scheduled charge can be canceled, once', () => {
  const view: SubscriptionView = {
    plan: 'Elite',
    active: true,
    status: 'active',
    start: null,
    end: null,
    details: subscription,
  }
  expect(mayCancel(view)).toBe(true)
  for (const status of ['suspended', 'past_due'] as const)
    expect(mayCancel({ ...view, active: false, status })).toBe(true)
  expect(mayCancel({ ...view, active: undefined, status: 'trialing' })).toBe(true)
  expect(mayCancel({ ...view, active: undefined, status: 'awaiting_payment' })).toBe(false)
  expect(mayCancel({ ...view, active: false, status: 'canceled' })).toBe(false)
  expect(mayCancel({ ...view, details: null })).toBe(false)
  const canceled = create(SubscriptionSchema, { ...subscription, cancelAtPeriodEnd: true })
  expect(mayCancel({ ...view, details: canceled })).toBe(false)
})

test('the suspension reason is that of the server or, without one, of the payment method', () => {
  const suspended = (suspendedReason: string | undefined, paymentMethod: string) => {
    const details = create(SubscriptionSchema, { paymentMethod, suspendedReason })
    return unpaidReason({ plan: '', active: false, status: 'suspended', start: null, end: null, details })
  }
  expect(suspended('payment_disputed', 'card')).toBe('disputed')
  expect(suspended('no_renewal_result', 'card')).toBe('unknown')
  expect(suspended('payment_failed', 'card')).toBe('card')
  expect(suspended('boleto_unpaid', 'boleto')).toBe('boleto')
  expect(suspended(undefined, 'boleto')).toBe('boleto')
})

test('a renewal held by the bank needs authentication, not another card', () => {
  const details = create(SubscriptionSchema, {
    paymentMethod: 'card',
    suspendedReason: 'payment_failed',
    needsAuthentication: true,
  })
  const reason = (active: boolean) =>
    unpaidReason({ plan: '', active, status: 'suspended', start: null, end: null, details })
  expect([reason(false), reason(true)]).toEqual(['authentication', 'authentication'])
})

test('a trial that a purchase ended early is lost; one that ended by itself or never ran is not', () => {
  const created = new Date('2026-11-20T12:00:00Z')
  const whole = new Date('2026-11-27T12:00:00Z')
  expect(hasLostTrial(created, now, now)).toBe(true)
  expect(hasLostTrial(created, now, whole)).toBe(false)
  // Paid in the second of the sign-up.
  expect(hasLostTrial(created, new Date(created.getTime() - 400), now)).toBe(true)
  // It ran to its end.
  expect(hasLostTrial(created, whole, now)).toBe(false)
  // Used by an earlier account.
  expect(hasLostTrial(created, created, now)).toBe(false)
  expect(hasLostTrial(null, now, now)).toBe(false)
  expect(hasLostTrial(created, null, now)).toBe(false)
})
