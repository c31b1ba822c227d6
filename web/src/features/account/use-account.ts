import { type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { ACCOUNT_KEY, type AccountReads, accountQuery } from '../../api/account'
import { queryClient } from '../../api/query-client'
import { isLive, SUBSCRIPTION_KEY } from '../../api/subscription'
import type { PlanChangeConfirmation, Refund } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { User } from '../../gen/garimpo/users/v1/user_service_pb'
import { clearPurchase, type StoredUser } from '../../lib/browser-storage'
import { toDate } from '../../lib/dates'
import { usePollInterval } from '../../lib/poll-interval'
import { serverNow } from '../../lib/server-clock'
import { useToasts } from '../../lib/toasts'
import { useStoredUser } from '../../lib/use-stored'
import { type SessionUser, useConfirmedSession } from '../../session/session'
import { account as texts } from '../../texts/account'
import { refreshInvoices } from './invoices/use-invoices'
import { isUnderWay } from './refund/refund'
import { type AccountStatus, accountStatusOf, hasLostTrial, trialBeside } from './subscription/account-status'
import { type LastCheckout, type Payment, paymentOf } from './subscription/payment'

/** The user record, or without it the basic profile of the session. */
export type Profile = SessionUser & {
  firstName: string | null
  lastName: string | null
  phone: string | null
  photoUrl: string | null
  /** Null where the record could not be read. */
  emailVerified: boolean | null
  createdAt: Date | null
}

/** The balance that earlier invoices leave to the next ones, in centavos. */
export interface Balance {
  /** In favour of the account. */
  credit: bigint
  /** Still to be paid. */
  carried: bigint
}

export type Account =
  | { kind: 'loading' }
  | { kind: 'empty' }
  | {
      kind: 'ready'
      profile: Profile
      accountStatus: AccountStatus
      payment: Payment
      /** When the campaign ends, if it runs and ends before the trial. */
      campaignEnd: Date | null
      /** Until when the free trial runs beside a first payment that waits. */
      trialBeside: Date | null
      /** Whether the first payment ended a trial that would run now. */
      hasLostTrial: boolean
      balance: Balance
      refund: Refund | undefined
      /** The plan change that waits for the bank. */
      planChange: PlanChangeConfirmation | null
      /** Whether a purchase is made: its choice is forgotten, with its checkout. */
      bought: { sessionId: string | null } | false
      /**
       * The subscription itself could not be read: what there is comes from the user record alone.
       */
      incomplete: boolean
      /** The user record could not be read. */
      withoutRecord: boolean
    }

const LOADING: Account = { kind: 'loading' }

/** Reads the account and its invoices again. */
export async function refreshAccount(): Promise<void> {
  // Else the account would share a read that began before the change.
  void queryClient.cancelQueries({ queryKey: SUBSCRIPTION_KEY })
  refreshInvoices()
  const refresh = (queryKey: QueryKey) => queryClient.invalidateQueries({ queryKey })
  await Promise.all([refresh(ACCOUNT_KEY), refresh(SUBSCRIPTION_KEY)])
}

/** The account as it was read. */
export function useAccount(): Account {
  const session = useConfirmedSession()
  const { show } = useToasts()
  const user = session.kind === 'user' ? session.user : null
  const interval = usePollInterval()
  const stored = useStoredUser()

  const { data } = useQuery({
    ...accountQuery(user?.uid ?? null),
    // A payment may arrive while the page is open: in another tab, in the bank's app, or any moment
    // now.
    refetchOnWindowFocus: 'always',
    refetchInterval: ({ state: { data } }) => isAwaited(accountOf(user, data, stored)) && interval(),
  })
  const account = useMemo(() => accountOf(user, data, stored), [user, data, stored])
  useEffect(() => {
    if (account.kind === 'ready' && account.bought) clearPurchase(account.bought.sessionId)
  }, [account])
  const isPartial = account.kind === 'ready' && account.withoutRecord
  useEffect(() => {
    if (isPartial) show({ kind: 'error', title: texts.loadFailed })
  }, [isPartial, show])
  useInvoicesOf(account)
  return account
}

/** Whether a payment or refund is about to change. */
function isAwaited(account: Account): boolean {
  return (
    account.kind === 'ready' &&
    (account.payment.kind === 'confirming' || isUnderWay(account.refund, account.balance.credit))
  )
}

/** Reads the invoices again when money has moved. */
function useInvoicesOf(account: Account): void {
  const money = account.kind === 'ready' ? `${account.refund?.state} ${account.balance.credit}` : null
  const before = useRef(money)
  useEffect(() => {
    if (before.current !== null && money !== before.current) refreshInvoices()
    before.current = money
  }, [money])
}

function accountOf(
  user: SessionUser | null,
  reads: AccountReads | undefined,
  stored: StoredUser | null,
): Account {
  if (!user || !reads) return LOADING
  if (!user.uid || !user.email) return { kind: 'empty' }
  const { record, answer, checkout } = reads
  const last = lastCheckoutOf(checkout, user.email)
  const isPaid = last?.outcome === 'paid'
  const isBought = isLive(answer?.subscription) || (isPaid && answer?.subscription?.active !== undefined)
  const profile = profileOf(user, record, stored)
  const trialEnd = toDate(answer?.trialEndsAt)
  const accountStatus = accountStatusOf({ record, answer, createdAt: profile.createdAt }, serverNow())
  return {
    kind: 'ready',
    profile,
    accountStatus,
    payment: paymentOf({
      accountStatus,
      boleto: answer?.boleto ?? null,
      lapsed: answer?.lapsedPurchase ?? null,
      last,
    }),
    campaignEnd: toDate(answer?.campaignEndsAt),
    trialBeside: trialBeside(accountStatus, trialEnd),
    hasLostTrial: hasLostTrial(profile.createdAt, trialEnd),
    balance: { credit: answer?.creditCentavos ?? 0n, carried: answer?.carriedCentavos ?? 0n },
    refund: answer?.refund,
    planChange: answer?.planChangeConfirmation ?? null,
    bought: isBought && { sessionId: isPaid ? last.sessionId : null },
    incomplete: !answer && accountStatus.kind !== 'unknown',
    withoutRecord: !record,
  }
}

/** The last checkout; null without one of this account. */
function lastCheckoutOf(
  checkout: AccountReads['checkout'],
  email: string,
): (LastCheckout & { sessionId: string | null }) | null {
  if (checkout === null) return null
  if (checkout === 'unknown') return { sessionId: null, outcome: 'unknown' }
  const { sessionId, outcome, answer } = checkout
  if (answer.customerEmail.toLowerCase() !== email.toLowerCase()) return null
  const { planId, interval, amountTotalCentavos: amountCentavos } = answer
  return { sessionId, outcome, planId, interval, amountCentavos }
}

function profileOf(user: SessionUser, record: User | null, stored: StoredUser | null): Profile {
  const [first, ...rest] = (record?.displayName || user.displayName).trim().split(/\s+/)
  return {
    uid: user.uid,
    email: record?.email || user.email,
    displayName: record?.displayName || user.displayName,
    firstName: record?.firstName ?? first ?? null,
    lastName: record?.lastName ?? (record ? null : rest.join(' ') || null),
    // Only without an answer: a number that was removed would come back.
    phone: record ? (record.phone ?? record.phoneNumber ?? null) : (stored?.phone ?? null),
    photoUrl: record?.photoUrl || null,
    emailVerified: record?.emailVerified ?? null,
    createdAt: toDate(record?.createdAt) ?? stored?.registeredAt ?? null,
  }
}
