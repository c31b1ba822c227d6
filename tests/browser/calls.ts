/** Calls our services without the page, and replaces or delays their responses. */
import {
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, createConnectRouter } from '@connectrpc/connect'
import { createEnvelopeReadableStream, createFetchHandler } from '@connectrpc/connect/protocol'
import { createGrpcWebTransport } from '@connectrpc/connect-web'
import type { Page, Request as PageRequest } from '@playwright/test'

import { AuthService } from '../../web/src/gen/garimpo/auth/v1/auth_service_pb'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import type { ErrorReason } from '../../web/src/gen/garimpo/errors/v1/error_reason_pb'
import { TrackingService } from '../../web/src/gen/garimpo/tracking/v1/tracking_service_pb'
import { UserService } from '../../web/src/gen/garimpo/users/v1/user_service_pb'
import { ErrorInfoSchema } from '../../web/src/gen/google/rpc/error_details_pb'

const SERVICES = [AuthService, BillingService, TrackingService, UserService] as const
const METHODS: DescMethodUnary[] = SERVICES.flatMap((service) => Object.values(service.method))

type NameIn<Service> = Service extends { method: infer Methods } ? Capitalize<keyof Methods & string> : never
type MethodName = NameIn<(typeof SERVICES)[number]>

/** Clients of three services that call with the session of this browser, without the page. */
export function clients(page: Page) {
  const transport = createGrpcWebTransport({
    baseUrl: '',
    fetch: (path, request) => post(page, String(path), request),
  })
  return {
    auth: createClient(AuthService, transport),
    billing: createClient(BillingService, transport),
    users: createClient(UserService, transport),
  }
}

async function post(page: Page, path: string, { headers, body }: RequestInit = {}): Promise<Response> {
  const answer = await page.request.post(path, {
    headers: Object.fromEntries(new Headers(headers)),
    data: Buffer.from(body as Uint8Array),
  })
  return new Response(new Uint8Array(await answer.body()), {
    status: answer.status(),
    headers: answer.headers(),
  })
}

/** The message of a call that the page made. */
export async function messageOf<Schema extends DescMessage>(
  request: PageRequest,
  schema: Schema,
): Promise<MessageShape<Schema>> {
  const body = new Blob([new Uint8Array(request.postDataBuffer() ?? [])])
  const { value } = await createEnvelopeReadableStream(body.stream()).getReader().read()
  if (!value) throw new Error(`${request.url()} has no message`)
  return fromBinary(schema, value.data)
}

/** Makes each call of a method end with a reason of the catalogue. */
export async function failCall(
  page: Page,
  name: MethodName,
  reason: keyof typeof ErrorReason,
  metadata: Record<string, string> = {},
) {
  const info = { desc: ErrorInfoSchema, value: { reason, domain: 'garimpo', metadata } }
  const method = METHODS.find((one) => one.name === name)
  if (!method) throw new Error(`no method ${name}`)
  await implement(page, method, () => {
    throw new ConnectError('refused', Code.Internal, undefined, [info])
  })
}

/** Makes each call of a method return this message. */
export async function respond<Method extends DescMethodUnary>(
  page: Page,
  method: Method,
  message: MessageInitShape<Method['output']>,
) {
  await implement(page, method, () => message)
}

async function implement<Method extends DescMethodUnary>(
  page: Page,
  method: Method,
  answer: () => MessageInitShape<Method['output']>,
) {
  const router = createConnectRouter({ connect: false, grpc: false }).rpc(method, answer as never)
  const handle = createFetchHandler(router.handlers[0] as (typeof router.handlers)[number])
  await page.route(`**/${method.name}`, async (route) => {
    const call = route.request()
    const body = new Uint8Array(call.postDataBuffer() ?? [])
    const response = await handle(new Request(call.url(), { method: 'POST', headers: call.headers(), body }))
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    })
  })
}

/** Makes GetSession return a user without an email. */
export async function signInWithoutEmail(page: Page) {
  await respond(page, AuthService.method.getSession, {
    authenticated: true,
    user: { uid: 'usr_sem_email', displayName: 'Ana Souza' },
  })
}

/** A promise that `open` resolves. */
function createGate(): { passed: Promise<void>; open: () => void } {
  let open = () => {}
  const passed = new Promise<void>((done) => {
    open = done
  })
  return { passed, open }
}

/** Holds matching requests until the returned function is called. */
export async function hold(page: Page, address: string): Promise<() => Promise<void>> {
  const held = createGate()
  await page.route(address, async (route) => {
    await held.passed
    // The page may have left meanwhile.
    await route.continue().catch(() => undefined)
  })
  return async () => {
    held.open()
    await page.unroute(address)
  }
}

/**
 * Passes the first matching call to the server and holds its response until `release`. `responded`
 * resolves once the server has responded.
 */
export async function delay(
  page: Page,
  address: string,
): Promise<{ responded: Promise<void>; release: () => Promise<void> }> {
  const [held, arrived] = [createGate(), createGate()]
  await page.route(
    address,
    async (route) => {
      const response = await route.fetch()
      arrived.open()
      await held.passed
      // The page may have left meanwhile.
      await route.fulfill({ response }).catch(() => undefined)
    },
    { times: 1 },
  )
  const release = async () => {
    await arrived.passed
    const received = page.waitForResponse(address)
    held.open()
    await received
  }
  return { responded: arrived.passed, release }
}

/**
 * Takes the connection away once the page's calls have ended: those of the arrival, such as a
 * counted step, would fail beside the one under test.
 */
export async function goOffline(page: Page) {
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
}
