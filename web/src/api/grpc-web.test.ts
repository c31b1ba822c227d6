import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { anyPack } from '@bufbuild/protobuf/wkt'
import { afterEach, expect, test, vi } from 'vitest'
import {
  GetUserRequestSchema,
  GetUserResponseSchema,
  UserService,
} from '../gen/garimpo/users/v1/user_service_pb'
import { ErrorInfoSchema } from '../gen/google/rpc/error_details_pb'
import { toAppError } from './error-reason'
import { createClient } from './grpc-web'

const users = createClient(UserService)
const getUser = () => users.getUser({ uid: 'usr_1' })
const refusal = () => getUser().catch((thrown: unknown) => toAppError(thrown).reason)

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function frame(flags: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([flags, 0, 0, data.length >> 8, data.length & 255, ...data])
}

function trailers(text: string) {
  return frame(0x80, new TextEncoder().encode(text))
}

/** The server's response to the next call. Returns what the page sends. */
function respond(parts: Uint8Array<ArrayBuffer>[], init: ResponseInit = {}) {
  const fetch = vi.fn(async (_: string, __: RequestInit) => new Response(new Blob(parts), init))
  vi.stubGlobal('fetch', fetch)
  return fetch
}

const answer = toBinary(GetUserResponseSchema, create(GetUserResponseSchema, { user: { uid: 'usr_1' } }))

test('a call sends one message frame and returns the message of the response', async () => {
  const fetch = respond([frame(0, answer), trailers('grpc-status: 0\r\ngrpc-message: \r\n')])

  expect((await getUser()).user?.uid).toBe('usr_1')

  const [path, init] = fetch.mock.calls[0] ?? []
  expect(path).toBe('/garimpo.users.v1.UserService/GetUser')
  expect(init?.headers).toMatchObject({ 'grpc-timeout': '15000m' })
  const sent = init?.body as Uint8Array
  expect([...sent.slice(0, 5)]).toEqual([0, 0, 0, 0, 7])
  expect(fromBinary(GetUserRequestSchema, sent.slice(5)).uid).toBe('usr_1')
})

test('the reason is read from the trailers or, without a message, from the headers', async () => {
  const info = create(ErrorInfoSchema, { reason: 'USER_NOT_FOUND', domain: 'garimpo' })
  const { typeUrl, value } = anyPack(ErrorInfoSchema, info)
  const url = new TextEncoder().encode(typeUrl)
  const any = [0x0a, url.length, ...url, 0x12, value.length, ...value]
  const status = [0x08, 5, 0x12, 1, 0x78, 0x1a, any.length, ...any]
  const details = btoa(String.fromCharCode(...status)).replace(/=+$/, '')

  respond([trailers(`grpc-status:5\r\ngrpc-status-details-bin:${details}\r\n`)])
  expect(await refusal()).toBe('USER_NOT_FOUND')

  respond([], { headers: { 'grpc-status': '5', 'grpc-status-details-bin': details } })
  expect(await refusal()).toBe('USER_NOT_FOUND')
})

test('without a gRPC status, the HTTP status decides', async () => {
  respond([], { status: 503 })
  expect(await refusal()).toBe('UNAVAILABLE')
  respond([], { status: 401 })
  expect(await refusal()).toBe('UNAUTHENTICATED')
  respond([], { status: 400 })
  expect(await refusal()).toBe('INTERNAL')
})

test('a truncated or compressed response is an internal error', async () => {
  respond([frame(0, answer)])
  expect(await refusal()).toBe('INTERNAL')
  respond([frame(0, answer).subarray(0, 8), trailers('grpc-status: 0\r\n')])
  expect(await refusal()).toBe('INTERNAL')
  respond([frame(1, answer), trailers('grpc-status: 0\r\n')])
  expect(await refusal()).toBe('INTERNAL')
})

test('a passed deadline is UNAVAILABLE, and a failed connection is OFFLINE', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  vi.stubGlobal('fetch', async (_: string, { signal }: RequestInit) => {
    vi.advanceTimersByTime(14_999)
    expect(signal?.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    signal?.throwIfAborted()
  })
  expect(await refusal()).toBe('UNAVAILABLE')
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch')
  })
  expect(await refusal()).toBe('OFFLINE')
})
