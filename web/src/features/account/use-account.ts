import { useCallback, useEffect, useState } from 'react'
import { call } from '../../api/call'
import { askSubscription } from '../../api/subscription'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import type { User } from '../../gen/garimpo/users/v1/user_service_pb'
import { readStoredUser } from '../../lib/browser-storage'
import { toDate } from '../../lib/dates'
import { serverNow } from '../../lib/server-clock'
import { type SessionUser, useConfirmedSession } from '../../lib/session'
import { useToasts } from '../../lib/toasts'
import { account as texts } from '../../texts/account'
import { type Standing, standingOf } from './standing'

/** Who the person is: the user record over the basic profile of the session. Spec section 7. */
export type Profile = Pick<SessionUser, 'email' | 'displayName'> & {
  firstName: string | null
  lastName: string | null
  phone: string | null
  photoUrl: string | null
  createdAt: Date | null
}

export type Account =
  | { kind: 'loading' }
  | { kind: 'empty' }
  | { kind: 'ready'; profile: Profile; standing: Standing; boleto: Boleto | null }

/** The account as it was read, and a way to read it again. */
export function useAccount(): { account: Account; reading: boolean; again: () => void } {
  const session = useConfirmedSession()
  const { show } = useToasts()
  const [account, setAccount] = useState<Account>({ kind: 'loading' })
  const [tries, setTries] = useState(0)
  const [reading, setReading] = useState(true)
  const again = useCallback(() => setTries((count) => count + 1), [])
  const user = session.kind === 'user' ? session.user : null

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try reads it all again
  useEffect(() => {
    if (!user) return
    let wanted = true
    setReading(true)
    load(user, () => wanted && show({ kind: 'error', title: texts.loadFailed })).then((loaded) => {
      if (!wanted) return
      setAccount(loaded)
      setReading(false)
    })
    return () => {
      wanted = false
    }
  }, [user, show, tries])
  return { account, reading, again }
}

async function load(user: SessionUser, onUserFailure: () => void): Promise<Account> {
  if (!user.uid || !user.email) return { kind: 'empty' }
  const [record, answer] = await Promise.all([
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
  ])
  const profile = profileOf(user, record)
  const standing = standingOf({ record, answer, createdAt: profile.createdAt }, serverNow())
  return { kind: 'ready', profile, standing, boleto: answer?.boleto ?? null }
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
