import { useEffect, useState } from 'react'
import { call } from '../../api/call'
import type { GetSubscriptionResponse } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { User } from '../../gen/garimpo/users/v1/user_service_pb'
import { readStoredUser } from '../../lib/browser-storage'
import { toDate } from '../../lib/dates'
import { followServerTime, serverNow } from '../../lib/server-clock'
import { type SessionUser, useConfirmedSession } from '../../lib/session'
import { TRIAL_MS } from '../../lib/timers'
import { useToasts } from '../../lib/toasts'
import { account as texts } from '../../texts/account'

/** Who the person is: the user record over the basic profile of the session. Spec section 7. */
export type Profile = Pick<SessionUser, 'email' | 'displayName'> & {
  firstName: string | null
  lastName: string | null
  phone: string | null
  photoUrl: string | null
  createdAt: Date | null
}

/** What the person has: a subscription, the trial, or neither. */
export type Standing =
  | { kind: 'subscription'; record: User; details: GetSubscriptionResponse | null }
  | { kind: 'trial'; end: Date }
  | { kind: 'none' }

export type Account =
  | { kind: 'loading' }
  | { kind: 'empty' }
  | { kind: 'ready'; profile: Profile; standing: Standing; details: GetSubscriptionResponse | null }

export function useAccount(): Account {
  const session = useConfirmedSession()
  const { show } = useToasts()
  const [account, setAccount] = useState<Account>({ kind: 'loading' })
  const user = session.kind === 'user' ? session.user : null

  useEffect(() => {
    if (!user) return
    let wanted = true
    load(user, () => wanted && show({ kind: 'error', title: texts.loadFailed })).then(
      (loaded) => wanted && setAccount(loaded),
    )
    return () => {
      wanted = false
    }
  }, [user, show])
  return account
}

async function load(user: SessionUser, onUserFailure: () => void): Promise<Account> {
  if (!user.uid || !user.email) return { kind: 'empty' }
  const [record, details] = await Promise.all([
    call(({ users }) => users.getUser({ uid: user.uid })).then(
      (answer) => answer.user ?? null,
      (cause: unknown) => {
        console.warn('reading the user record failed', cause)
        onUserFailure()
        return null
      },
    ),
    call(({ billing }) => billing.getSubscription({})).catch((cause: unknown) => {
      console.warn('reading the subscription failed', cause)
      return null
    }),
  ])
  const now = toDate(details?.serverTime)
  if (now) followServerTime(now)
  const profile = profileOf(user, record)
  return { kind: 'ready', profile, standing: standingOf(record, details, profile.createdAt), details }
}

function profileOf(user: SessionUser, record: User | null): Profile {
  const stored = readStoredUser()
  const [first, ...rest] = (record?.displayName || user.displayName).trim().split(/\s+/)
  return {
    email: record?.email || user.email,
    displayName: record?.displayName || user.displayName,
    firstName: record?.firstName ?? first ?? null,
    lastName: record?.lastName ?? (record ? null : rest.join(' ') || null),
    phone: record?.phone ?? record?.phoneNumber ?? stored?.phone ?? null,
    photoUrl: record?.photoUrl ?? null,
    createdAt: toDate(record?.createdAt) ?? stored?.registeredAt ?? null,
  }
}

function standingOf(
  record: User | null,
  details: GetSubscriptionResponse | null,
  createdAt: Date | null,
): Standing {
  // The status alone says nothing: it is 'trialing' in the trial too, which has no plan (design section 3).
  if (record?.subscriptionPlan) return { kind: 'subscription', record, details }
  const end = toDate(details?.trialEndsAt) ?? (createdAt && new Date(createdAt.getTime() + TRIAL_MS))
  return end && end > serverNow() ? { kind: 'trial', end } : { kind: 'none' }
}
