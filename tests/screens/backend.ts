/** The site with services that respond from memory, on a free port. Each test has its own. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { Code, ConnectError, createConnectRouter, type HandlerContext } from '@connectrpc/connect'
import { createFetchHandler } from '@connectrpc/connect/protocol'

import type { ErrorReason } from '../../web/src/gen/garimpo/errors/v1/error_reason_pb'
import { ErrorInfoSchema } from '../../web/src/gen/google/rpc/error_details_pb'
import { accountState } from './messages'
import { siteResponse } from './site'

export type Reason = Exclude<keyof typeof ErrorReason, 'UNSPECIFIED'>

/** The error of a call with a reason of the catalogue. */
export function refusal(reason: Reason, metadata: Record<string, string> = {}): ConnectError {
  const info = { desc: ErrorInfoSchema, value: { reason, domain: 'garimpo', metadata } }
  return new ConnectError('refused', Code.Internal, undefined, [info])
}

type Implementation<Method extends DescMethodUnary> = (
  request: MessageShape<Method['input']>,
  context: HandlerContext,
) => MessageInitShape<Method['output']> | Promise<MessageInitShape<Method['output']>>

type Handler = (request: Request) => Promise<Response> | Response

export class Backend {
  /** What GetSubscription returns to a user. The user record repeats its subscription. */
  state = accountState()
  /** Calls without an implementation, by path. They fail the test. */
  readonly unexpected: string[] = []
  readonly #handlers = new Map<string, Handler>()
  readonly #server: Server
  readonly url: string

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', async (incoming, outgoing) => {
      const response = await this.#respond(await requestOf(incoming, this.url))
      outgoing.writeHead(response.status, Object.fromEntries(response.headers))
      outgoing.end(new Uint8Array(await response.arrayBuffer()))
    })
  }

  static async start(): Promise<Backend> {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return new Backend(server)
  }

  stop() {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Implements a method, in place of an earlier implementation. */
  on<Method extends DescMethodUnary>(method: Method, implementation: Implementation<Method>) {
    const router = createConnectRouter({ connect: false, grpc: false }).rpc(method, implementation as never)
    const handler = createFetchHandler(router.handlers[0] as (typeof router.handlers)[number])
    this.#handlers.set(`/${method.parent.typeName}/${method.name}`, handler)
  }

  /** Makes each call of a method return this message. */
  returns<Method extends DescMethodUnary>(method: Method, message: MessageInitShape<Method['output']>) {
    this.on(method, () => message)
  }

  /** Makes each call of a method end with a reason. */
  refuses(method: DescMethodUnary, reason: Reason, metadata: Record<string, string> = {}) {
    this.on(method, () => {
      throw refusal(reason, metadata)
    })
  }

  /** Handles requests of a path that is not a method. */
  onPath(path: string, handler: Handler) {
    this.#handlers.set(path, handler)
  }

  async #respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const handler = this.#handlers.get(pathname)
    if (handler) return handler(request)
    if (request.method === 'GET') return siteResponse(pathname)
    this.unexpected.push(pathname)
    return new Response(null, {
      headers: { 'content-type': 'application/grpc-web+proto', 'grpc-status': '12' },
    })
  }
}

async function requestOf(incoming: IncomingMessage, origin: string): Promise<Request> {
  const parts: Uint8Array[] = []
  for await (const part of incoming) parts.push(part)
  const { method = 'GET', url = '/', headers } = incoming
  return new Request(new URL(url, origin), {
    method,
    // No header of a browser comes twice.
    headers: headers as Record<string, string>,
    ...(method !== 'GET' && method !== 'HEAD' && { body: Buffer.concat(parts) }),
  })
}
