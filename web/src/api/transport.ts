import { createGrpcWebTransport } from '@connectrpc/connect-web'
import { RPC_TIMEOUT_MS } from '../lib/timers'

/** gRPC-Web over the site's own origin: the session cookie goes by itself, no token is kept in the page. */
export const transport = createGrpcWebTransport({
  baseUrl: location.origin,
  defaultTimeoutMs: RPC_TIMEOUT_MS,
})
