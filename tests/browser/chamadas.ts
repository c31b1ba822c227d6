/** Answers of our own services that a real server gives only after much else: refusals by reason, a session without email. */
import { expect, type Page } from '@playwright/test'

export const text = (value: string) => new TextEncoder().encode(value)
/** A length-delimited protobuf field; everything here is shorter than 128 bytes. */
export const field = (number: number, value: Uint8Array) => [(number << 3) | 2, value.length, ...value]
/** A message in the frame of gRPC-Web. */
export const framed = (message: number[]) => Buffer.from([0, 0, 0, 0, message.length, ...message])
/** A number or an enum's value, smaller than 128. */
export const number = (field: number, value: number) => [field << 3, value]
const flag = (field: number) => number(field, 1)

/** One call of BillingService by whoever is signed in, without the page. Answers the bytes as latin1 text. */
export async function billing(page: Page, method: string, message: number[] = []): Promise<string> {
  const answer = await page.request.post(`/garimpo.billing.v1.BillingService/${method}`, {
    headers: { 'content-type': 'application/grpc-web+proto' },
    data: framed(message),
  })
  const said = (await answer.body()).toString('latin1')
  expect(said, method).toContain('grpc-status:0')
  return said
}

/** Makes one call of a service end with a reason of the catalogue, as gRPC-Web says it. */
export async function refuse(page: Page, method: string, reason: string, metadata: Record<string, string> = {}) {
  const entries = Object.entries(metadata).flatMap(([name, value]) =>
    field(3, Uint8Array.from([...field(1, text(name)), ...field(2, text(value))])),
  )
  const info = Uint8Array.from([...field(1, text(reason)), ...field(2, text('garimpo')), ...entries])
  const any = Uint8Array.from([...field(1, text('type.googleapis.com/google.rpc.ErrorInfo')), ...field(2, info)])
  const details = Buffer.from([0x08, 13, ...field(3, any)]).toString('base64')
  await page.route(`**/${method}`, (route) =>
    route.fulfill({
      headers: {
        'content-type': 'application/grpc-web+proto',
        'grpc-status': '13',
        'grpc-message': 'refused',
        'grpc-status-details-bin': details,
      },
    }),
  )
}

/** Makes the server say that somebody without an email is signed in. */
export async function signInWithoutEmail(page: Page) {
  const user = Uint8Array.from([...field(1, text('usr_sem_email')), ...field(3, text('Ana Souza'))])
  const message = [...flag(1), ...field(2, user)]
  const trailers = text('grpc-status: 0\r\n')
  const body = Buffer.from([...framed(message), 0x80, 0, 0, 0, trailers.length, ...trailers])
  await page.route('**/GetSession', (route) =>
    route.fulfill({ headers: { 'content-type': 'application/grpc-web+proto' }, body }),
  )
}

/** A promise that `open` fulfils. */
function gate(): { passed: Promise<void>; open: () => void } {
  let open = () => {}
  const passed = new Promise<void>((done) => {
    open = done
  })
  return { passed, open }
}

/** Holds what matches until the answer is called. */
export async function hold(page: Page, address: string): Promise<() => Promise<void>> {
  const held = gate()
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

/** Lets the first call that matches reach the server, which has `answered` it then, and keeps the answer until `letCome`. */
export async function delay(page: Page, address: string): Promise<{ answered: Promise<void>; letCome: () => Promise<void> }> {
  const [held, arrived] = [gate(), gate()]
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
  const letCome = async () => {
    await arrived.passed
    const received = page.waitForResponse(address)
    held.open()
    await received
  }
  return { answered: arrived.passed, letCome }
}
