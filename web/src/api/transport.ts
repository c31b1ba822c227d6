import { createGrpcWebTransport } from '@connectrpc/connect-web'
import { RPC_TIMEOUT_MS } from '../lib/timers'

/** Calls go to the site's own origin with the session cookie, so a page keeps no token. */
export const transport = createGrpcWebTransport({ baseUrl: '', defaultTimeoutMs: RPC_TIMEOUT_MS })
