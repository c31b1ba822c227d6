import { AppError } from './app-error'

type Rpc = typeof import('./clients')
export type Clients = Rpc['clients']

const sessionGone = new Set<() => void>()

let epoch = 0

/** Counts the changes of the session: an answer to what was asked before a change says nothing about the session now. */
export const sessionEpoch = {
  current: () => epoch,
  begin: () => {
    epoch += 1
  },
}

const load = (): Promise<Rpc> => import('./clients')

/** Loads the RPC code (17 KB) ahead of the first call, for instance when a form gets the focus. */
export function warmUp(): void {
  load().catch(() => undefined)
}

/**
 * Runs one call: `await call(({ auth }) => auth.signIn({ email, password }))`.
 * Whatever goes wrong is thrown as an AppError; a call that finds the session gone says so to the session, unless nobody
 * asked for it (`unasked`): a page must not be left for the sake of what it does by itself.
 */
export async function call<Answer>(
  job: (clients: Clients) => Promise<Answer>,
  { unasked = false } = {},
): Promise<Answer> {
  const asked = epoch
  const rpc = await load().catch((cause: unknown) => {
    throw new AppError('OFFLINE', { cause })
  })
  try {
    return await job(rpc.clients)
  } catch (thrown) {
    const error = rpc.toAppError(thrown)
    if (error.reason === 'UNAUTHENTICATED' && !unasked && asked === epoch)
      for (const listener of sessionGone) listener()
    throw error
  }
}

/** Logs a failure that keeps nobody waiting. What was called gives null then: `.catch(logFailure('…'))`. */
export const logFailure =
  (what: string) =>
  (cause: unknown): null => {
    console.warn(what, cause)
    return null
  }

/** Calls `listener` when a call finds the session gone. Returns how to stop. */
export function onSessionGone(listener: () => void): () => void {
  sessionGone.add(listener)
  return () => void sessionGone.delete(listener)
}
