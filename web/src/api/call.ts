import { AppError } from './app-error'

type Rpc = typeof import('./clients')
export type Clients = Rpc['clients']

const load = (): Promise<Rpc> => import('./clients')

/** Loads the RPC code (17 KB) ahead of the first call, for instance when a form gets the focus. */
export function warmUp(): void {
  load().catch(() => undefined)
}

/**
 * Runs one call: `await call(({ auth }) => auth.signIn({ email, password }))`.
 * Whatever goes wrong is thrown as an AppError. `unasked`: nobody waits for it.
 */
export async function call<Answer>(
  job: (clients: Clients) => Promise<Answer>,
  { unasked = false } = {},
): Promise<Answer> {
  const rpc = await load().catch((cause: unknown) => {
    throw new AppError('OFFLINE', { cause })
  })
  try {
    return await job(unasked ? rpc.backgroundClients : rpc.clients)
  } catch (thrown) {
    throw rpc.toAppError(thrown)
  }
}

/** Logs a failure that keeps nobody waiting. What was called gives null then: `.catch(logFailure('…'))`. */
export const logFailure =
  (what: string) =>
  (cause: unknown): null => {
    console.warn(what, cause)
    return null
  }
