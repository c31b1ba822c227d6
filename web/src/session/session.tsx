import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { AppError, reasonOf } from '../api/app-error'
import { type Clients, call, logFailure } from '../api/call'
import { onSessionGone, sessionEpoch } from '../api/ended-session'
import {
  clearOnLogout,
  clearStoredUser,
  onUserChangedElsewhere,
  readStoredUser,
  writeStoredUser,
} from '../lib/browser-storage'
import type { Elements } from '../lib/elements'
import { type Path, paths } from '../lib/paths'
import { useStored } from '../lib/use-stored'

/** Who is signed in. */
export interface SessionUser {
  uid: string
  email: string
  displayName: string
}

/**
 * Loading, then a signed-in user or none (`unheard`: no answer came at all). `ended`: how a session
 * ended while the page was open, by 'Sair' or found gone by a call, and where that leads.
 */
export type Session =
  | { kind: 'loading' }
  | { kind: 'user'; user: SessionUser }
  | { kind: 'none'; ended?: { by: 'logout' | 'gone'; to: Path }; unheard?: boolean }

/** Further stored values of a user. */
type Remembered = { phone?: string | null | undefined; registeredAt?: Date | null | undefined }

export interface SessionContext {
  /** As the server returned it; 'loading' before its reply. */
  session: Session
  /** Reads the session, once for the page. A failed read returns null. */
  confirm: () => Promise<SessionUser | null>
  /** Reads the session again, after a call that may have ended it. */
  recheck: () => Promise<SessionUser | null>
  /**
   * After SignUp or SignIn: keeps the user, here and in browser storage. Throws an AppError if the
   * browser did not keep the session: without it every page would lead back to /login.
   */
  signedIn: (user: SessionUser, more?: Remembered) => Promise<void>
  /**
   * Ends the session at the server (`by` another call than SignOut) and forgets the user and the
   * purchase; leads to `to`. Throws an AppError.
   */
  signOut: (to: Path, by?: (clients: Clients) => Promise<unknown>) => Promise<void>
}

/** Given by SessionProvider, and by the gallery, which calls no server. */
export const SessionContext = createContext<SessionContext | null>(null)

export function SessionProvider({ children }: { children: Elements }) {
  const [session, setSession] = useState<Session>({ kind: 'loading' })
  const asking = useRef<Promise<SessionUser | null>>(undefined)

  const settle = useCallback((user: SessionUser | null, none?: Omit<Session & { kind: 'none' }, 'kind'>) => {
    sessionEpoch.begin()
    asking.current = Promise.resolve(user)
    setSession(user ? { kind: 'user', user } : { kind: 'none', ...none })
  }, [])

  const confirm = useCallback(() => {
    if (asking.current) return asking.current
    const asked = sessionEpoch.current()
    // A sign-in or sign-out since then is newer than this response.
    const isLate = () => asked !== sessionEpoch.current() && asking.current
    const answer: Promise<SessionUser | null> = (takeEarly() ?? askServer()).then(
      (user) => {
        const newer = isLate()
        if (newer) return newer
        if (user) keep(user, { registeredAt: readStoredUser()?.registeredAt })
        else clearStoredUser()
        settle(user)
        return user
      },
      (cause: unknown) => {
        const newer = isLate()
        if (newer) return newer
        // The next caller of `confirm` reads the session again.
        console.warn('session check failed', cause)
        settle(null, { unheard: reasonOf(cause) === 'OFFLINE' })
        asking.current = undefined
        return null
      },
    )
    asking.current = answer
    return answer
  }, [settle])

  const recheck = useCallback(() => {
    sessionEpoch.begin()
    asking.current = undefined
    return confirm()
  }, [confirm])

  const signedIn: SessionContext['signedIn'] = useCallback(
    async (user, more) => {
      const current = await call(({ auth }) => auth.getSession({}), { background: true }).catch(
        logFailure('checking the new session failed'),
      )
      if (current && !current.user) throw new AppError('COOKIES_BLOCKED')
      keep(user, more)
      settle(user)
    },
    [settle],
  )

  const signOut = useCallback(
    async (to: Path, by: (clients: Clients) => Promise<unknown> = ({ auth }) => auth.signOut({})) => {
      await call(by)
      clearOnLogout()
      settle(null, { ended: { by: 'logout', to } })
    },
    [settle],
  )

  useEffect(
    () =>
      onSessionGone(() => {
        clearStoredUser()
        settle(null, { ended: { by: 'gone', to: paths.login } })
      }),
    [settle],
  )

  useEffect(
    () =>
      onUserChangedElsewhere(() => {
        if (asking.current) void recheck()
      }),
    [recheck],
  )

  return <SessionContext value={{ session, confirm, recheck, signedIn, signOut }}>{children}</SessionContext>
}

async function askServer(): Promise<SessionUser | null> {
  const { user } = await call(({ auth }) => auth.getSession({}))
  return user ? { uid: user.uid, email: user.email, displayName: user.displayName } : null
}

let early: ReturnType<typeof askServer> | undefined

/** Asks before the first render, so that the session comes together with the page's module. */
export function askSessionEarly(): void {
  early = askServer()
  // Handled by `confirm`, which every page behind the guard calls.
  early.catch(() => undefined)
}

function takeEarly() {
  const asked = early
  early = undefined
  return asked
}

/** Keeps in browser storage who is signed in. */
function keep(user: SessionUser, { phone = null, registeredAt = null }: Remembered = {}) {
  writeStoredUser({ uid: user.uid, email: user.email, name: user.displayName, phone, registeredAt })
}

/** The session's state and its verbs. Makes no call by itself. */
export function useSession(): SessionContext {
  const context = useContext(SessionContext)
  if (!context) throw new Error('useSession needs a SessionProvider above it')
  return context
}

/**
 * The session as the server confirms it: asks when the page opens. For screens that act on the
 * answer.
 */
export function useConfirmedSession(): Session {
  const { session, confirm } = useSession()
  useEffect(() => void confirm(), [confirm])
  return session
}

/** The uid of the signed-in visitor, as the server confirms it. */
export function useUid(): string | null {
  const session = useConfirmedSession()
  return session.kind === 'user' ? session.user.uid : null
}

/**
 * Whether somebody seems signed in: the server's answer where it was asked, else the stored uid.
 * For the header and for button texts, which must not cost a call on every marketing page.
 */
export function useSeemsSignedIn(): boolean {
  const { session } = useSession()
  const storedUid = useStored('uid')
  return session.kind === 'loading' ? storedUid !== null : session.kind === 'user'
}
