/** Answers of the services that the product itself never gives, written by hand: a page must read them all the same. */
import type { Page, Route } from '@playwright/test'

/** One field of a message: text, bytes of a message within, or true. */
export function field(number: number, value: string | Buffer | true): Buffer {
  if (value === true) return Buffer.from([number << 3, 1])
  const bytes = Buffer.from(value as string)
  if (bytes.length > 127) throw new Error('longer than one length byte')
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

function frame(kind: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt8(kind, 0)
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}

function fulfil(route: Route, body: Buffer, headers: Record<string, string> = {}) {
  return route.fulfill({ status: 200, headers: { 'content-type': 'application/grpc-web+proto', ...headers }, body })
}

/** Answers a method with a message. */
export async function answers(page: Page, method: string, ...fields: Buffer[]) {
  const body = Buffer.concat([frame(0, Buffer.concat(fields)), frame(0x80, Buffer.from('grpc-status: 0\r\n'))])
  await page.route(`**/${method}`, (route) => fulfil(route, body))
}

/** Refuses a method for a reason of `garimpo.errors.v1`. */
export async function refuses(page: Page, method: string, reason: string, code = 9) {
  const info = Buffer.concat([field(1, reason), field(2, 'garimpo')])
  const any = Buffer.concat([field(1, 'type.googleapis.com/google.rpc.ErrorInfo'), field(2, info)])
  const status = Buffer.concat([Buffer.from([8, code]), field(3, any)])
  const trailers = `grpc-status: ${code}\r\ngrpc-status-details-bin: ${status.toString('base64')}\r\n`
  await page.route(`**/${method}`, (route) => fulfil(route, frame(0x80, Buffer.from(trailers))))
}
