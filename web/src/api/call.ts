import { AppError } from './app-error'

type Rpc = typeof import('./clients')
export type Clients = Rpc['clients']

const load = (): Promise<Rpc> => import('./clients')

/** Loads the RPC code ahead of the first call, for instance when a form gets the focus. */
export function warmUp(): void {
  load().catch(() => undefined)
}

/**
 * Runs one call: `await call(({ auth }) => auth.signIn({ email, password }))`.
 * Every failure is thrown as an AppError. A call without a session ends the session of the page,
 * unless it is a `background` call, one without an action of the user: it must not redirect.
 */
export async function call<Answer>(
  job: (clients: Clients) => Promise<Answer>,
  { background = false } = {},
): Promise<Answer> {
  const rpc = await load().catch((cause: unknown) => {
    throw new AppError('OFFLINE', { cause })
  })
  try {
    return await job(background ? rpc.backgroundClients : rpc.clients)
  } catch (thrown) {
    throw rpc.toAppError(thrown)
  }
}

/** Logs the failure of a call that no screen waits for: `.catch(logFailure('…'))` gives null. */
export const logFailure =
  (what: string) =>
  (cause: unknown): null => {
    console.warn(what, cause)
    return null
  }
