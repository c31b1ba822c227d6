import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { RPC_TIMEOUT_MS, timeoutSignal } from '../lib/timers'

/** The gRPC codes that have a meaning without an ErrorInfo. */
export const Code = {
  Unknown: 2,
  DeadlineExceeded: 4,
  ResourceExhausted: 8,
  Unavailable: 14,
  Unauthenticated: 16,
}

/** The status with which a call failed. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly details: readonly Any[]

  constructor(message: string, code = Code.Unknown, details: readonly Any[] = []) {
    super(message)
    this.code = code
    this.details = details
  }
}

type CallOptions = { timeoutMs?: number }

/** The methods of a service. All are unary. */
export type Client<Service extends DescService> = {
  [Name in keyof Service['method']]: Service['method'][Name] extends DescMethodUnary<
    infer Input,
    infer Output
  >
    ? (request: MessageInitShape<Input>, options?: CallOptions) => Promise<MessageShape<Output>>
    : never
}

/**
 * A client that calls a service by gRPC-Web. The calls go to the site's own origin with the session
 * cookie, so the page keeps no token. https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
 */
export function createClient<Service extends DescService>(service: Service): Client<Service> {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      (request: MessageInitShape<DescMessage>, options?: CallOptions) => callUnary(method, request, options),
    ]),
  ) as Client<Service>
}

async function callUnary(
  method: DescMethod,
  request: MessageInitShape<DescMessage>,
  { timeoutMs = RPC_TIMEOUT_MS }: CallOptions = {},
): Promise<Message> {
  const response = await fetch(`/${method.parent.typeName}/${method.name}`, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/grpc-web+proto',
      'x-grpc-web': '1',
      'grpc-timeout': `${timeoutMs}m`,
    },
    body: frameOf(toBinary(method.input, create(method.input, request))),
    signal: timeoutSignal(timeoutMs),
  })
  if (!response.ok) throw new RpcError(`HTTP ${response.status}`, codeOfHttp(response.status))
  const { message, trailers } = readFrames(new Uint8Array(await response.arrayBuffer()))
  // A response without a message may have its status in the headers.
  const status = trailers.has('grpc-status') ? trailers : response.headers
  if (status.get('grpc-status') !== '0') throw errorOf(status)
  if (!message) throw new RpcError('the response has no message')
  return fromBinary(method.output, message)
}

/** A frame is one byte of flags, four bytes of length, and that many bytes. */
const HEAD_BYTES = 5
const TRAILERS = 0x80

function frameOf(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(HEAD_BYTES + message.length)
  new DataView(frame.buffer).setUint32(1, message.length)
  frame.set(message, HEAD_BYTES)
  return frame
}

function readFrames(body: Uint8Array<ArrayBuffer>) {
  const view = new DataView(body.buffer)
  let trailers = new Headers()
  let message: Uint8Array | undefined
  let start = 0
  while (start < body.length) {
    const flags = view.getUint8(start)
    const end = start + HEAD_BYTES + view.getUint32(start + 1)
    const data = body.subarray(start + HEAD_BYTES, end)
    if (flags === TRAILERS) trailers = readTrailers(data)
    else if (flags === 0) message = data
    else throw new RpcError(`the response has a frame with the flags ${flags}`)
    start = end
  }
  return { message, trailers }
}

function readTrailers(data: Uint8Array): Headers {
  const lines = new TextDecoder().decode(data).split('\r\n').filter(Boolean)
  return new Headers(lines.map((line) => line.split(/: *(.*)/, 2) as [name: string, value: string]))
}

function errorOf(status: Headers): RpcError {
  const code = Number(status.get('grpc-status') ?? Code.Unknown)
  const details = status.get('grpc-status-details-bin')
  return new RpcError(
    status.get('grpc-message') ?? 'the response has no status',
    code,
    details ? readDetails(Uint8Array.from(atob(details), (letter) => letter.charCodeAt(0))) : [],
  )
}

/** The field `details` of a google.rpc.Status. */
const DETAILS = 3

function readDetails(status: Uint8Array): Any[] {
  const reader = new BinaryReader(status)
  const details: Any[] = []
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === DETAILS) details.push(fromBinary(AnySchema, reader.bytes()))
    else reader.skip(wireType, field)
  }
  return details
}

/**
 * The code of a response without a gRPC status, by
 * https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md
 */
function codeOfHttp(status: number): number {
  if (status === 401) return Code.Unauthenticated
  return [429, 502, 503, 504].includes(status) ? Code.Unavailable : Code.Unknown
}
