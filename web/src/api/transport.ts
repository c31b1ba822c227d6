import type { Interceptor } from '@connectrpc/connect'
import { createGrpcWebTransport } from '@connectrpc/connect-web'
import { toDate } from '../lib/dates'
import { followServerTime } from '../lib/server-clock'
import { RPC_TIMEOUT_MS } from '../lib/timers'
import { reportSessionGone, sessionEpoch } from './ended-session'
import { toAppError } from './error-reason'

/** A call that finds the session gone reports it, unless the session has changed since. */
const reportEndedSession: Interceptor = (next) => async (request) => {
  const began = sessionEpoch.current()
  try {
    return await next(request)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.reason === 'UNAUTHENTICATED' && began === sessionEpoch.current()) reportSessionGone()
    throw error
  }
}

/** Any response with the server's time corrects the clock. */
const followClock: Interceptor = (next) => async (request) => {
  const response = await next(request)
  if (!response.stream && 'serverTime' in response.message)
    followServerTime(toDate(response.message.serverTime as Parameters<typeof toDate>[0]))
  return response
}

// Calls go to the site's own origin with the session cookie, so a page keeps no token.
const options = { baseUrl: '', defaultTimeoutMs: RPC_TIMEOUT_MS }

export const transport = createGrpcWebTransport({
  ...options,
  interceptors: [reportEndedSession, followClock],
})

/** For calls without an action of the user: they must not redirect. */
export const backgroundTransport = createGrpcWebTransport({ ...options, interceptors: [followClock] })
