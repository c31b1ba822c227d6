import { useCallback, useEffect, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call } from '../../api/call'
import { askCheckout } from '../../api/checkout'
import { askSubscription } from '../../api/subscription'
import type { LapsedPurchase } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { User } from '../../gen/garimpo/users/v1/user_service_pb'
import { read, readStoredUser, readTab } from '../../lib/browser-storage'
import { sessionIdOf } from '../../lib/checkout-outcome'
import { toDate } from '../../lib/dates'
import { serverNow } from '../../lib/server-clock'
import { type SessionUser, useConfirmedSession } from '../../lib/session'
import { CHECKOUT_POLL_MS } from '../../lib/timers'
import { useToasts } from '../../lib/toasts'
import { account as texts } from '../../texts/account'
import { type LastCheckout, type Payment, paymentOf } from './payment'
import { type RefundTold, toldOf } from './refund'
import { type Standing, standingOf, trialBeside } from './standing'

/** Who the person is: the user record over the basic profile of the session. */
export type Profile = SessionUser & {
  firstName: string | null
  lastName: string | null
  phone: string | null
  photoUrl: string | null
  /** Null where the record could not be read. */
  emailVerified: boolean | null
  createdAt: Date | null
}

/** What earlier invoices left to the next ones, in centavos. */
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
      standing: Standing
      payment: Payment
      /** Until when the free trial runs beside a first payment that waits. */
      trialBeside: Date | null
      balance: Balance
      refund: RefundTold | null
      /** The subscription itself could not be read: what there is comes from the user record alone. */
      incomplete: boolean
      /** Counts the readings. */
      reading: number
    }

/** The account as it was read, and a way to read it again. */
export function useAccount(): { account: Account; reading: boolean; again: () => void } {
  const session = useConfirmedSession()
  const { show } = useToasts()
  const [account, setAccount] = useState<Account>({ kind: 'loading' })
  // Asked for by the person, or (quietly) by the page itself.
  const [asked, setAsked] = useState({ times: 0, quiet: false })
  const [reading, setReading] = useState(true)
  const ask = useCallback((quiet: boolean) => setAsked(({ times }) => ({ times: times + 1, quiet })), [])
  const again = useCallback(() => ask(false), [ask])
  const user = session.kind === 'user' ? session.user : null

  useEffect(() => {
    if (!user) return
    let wanted = true
    if (!asked.quiet) setReading(true)
    const onUserFailure = () => wanted && !asked.quiet && show({ kind: 'error', title: texts.loadFailed })
    load(user, asked.times, onUserFailure).then((loaded) => {
      if (!wanted) return
      // A quiet reading that found nobody to answer leaves what was shown.
      setAccount((before) => (asked.quiet && isUnknown(loaded) ? before : loaded))
      setReading(false)
    })
    return () => {
      wanted = false
    }
  }, [user, show, asked])

  usePaymentNews(account.kind === 'ready' ? account.payment.kind : 'none', ask)
  return { account, reading, again }
}

/** A payment may arrive while the page is open: in another tab, on coming back from the bank's app, or any moment now. */
function usePaymentNews(waiting: Payment['kind'], ask: (quiet: boolean) => void): void {
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && ask(true)
    const timer = waiting === 'confirming' ? setInterval(look, CHECKOUT_POLL_MS) : undefined
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [waiting, ask])
}

function isUnknown(account: Account): boolean {
  return account.kind === 'ready' && account.standing.kind === 'unknown'
}

async function load(user: SessionUser, reading: number, onUserFailure: () => void): Promise<Account> {
  if (!user.uid || !user.email) return { kind: 'empty' }
  const [record, answer, last] = await Promise.all([
    call(({ users }) => users.getUser({ uid: user.uid })).then(
      (answer) => answer.user ?? null,
      (cause: unknown) => {
        console.warn('reading the user record failed', cause)
        onUserFailure()
        return null
      },
    ),
    askSubscription().catch((cause: unknown) => {
      console.warn('reading the subscription failed', cause)
      return null
    }),
    lastCheckout(user.email),
  ])
  const profile = profileOf(user, record)
  const standing = standingOf({ record, answer, createdAt: profile.createdAt }, serverNow())
  return {
    kind: 'ready',
    profile,
    standing,
    payment: paymentOf({
      standing,
      boleto: answer?.boleto ?? null,
      lapsed: unseen(answer?.lapsedPurchase),
      last,
    }),
    trialBeside: trialBeside(standing, toDate(answer?.trialEndsAt)),
    balance: { credit: answer?.creditCentavos ?? 0n, carried: answer?.carriedCentavos ?? 0n },
    refund: answer?.refund ? toldOf(answer.refund) : null,
    incomplete: !answer && standing.kind !== 'unknown',
    reading,
  }
}

/** The purchase that ended unpaid, unless the person has put it aside. */
function unseen(lapsed: LapsedPurchase | undefined): LapsedPurchase | null {
  return lapsed && readTab('lapsedSeen') !== lapsed.id ? lapsed : null
}

/** The checkout whose secret this browser keeps; null without one of this account. */
async function lastCheckout(email: string): Promise<LastCheckout | null> {
  const sessionId = sessionIdOf(read('checkoutClientSecret'))
  if (!sessionId) return null
  try {
    const { outcome, answer } = await askCheckout(sessionId)
    if (answer.customerEmail.toLowerCase() !== email.toLowerCase()) return null
    const { planId, interval, amountTotalCentavos: amountCentavos } = answer
    return { outcome, planId, interval, amountCentavos }
  } catch (cause) {
    if (['NOT_FOUND', 'INVALID_ARGUMENT'].includes(reasonOf(cause))) return null
    console.warn('asking for the last checkout failed', cause)
    return { outcome: 'unknown' }
  }
}

function profileOf(user: SessionUser, record: User | null): Profile {
  const stored = readStoredUser()
  const [first, ...rest] = (record?.displayName || user.displayName).trim().split(/\s+/)
  return {
    uid: user.uid,
    email: record?.email || user.email,
    displayName: record?.displayName || user.displayName,
    firstName: record?.firstName ?? first ?? null,
    lastName: record?.lastName ?? (record ? null : rest.join(' ') || null),
    phone: record?.phone ?? record?.phoneNumber ?? stored?.phone ?? null,
    photoUrl: record?.photoUrl || null,
    emailVerified: record?.emailVerified ?? null,
    createdAt: toDate(record?.createdAt) ?? stored?.registeredAt ?? null,
  }
}
