import { create } from '@bufbuild/protobuf'
import { anyPack } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { BadRequestSchema, ErrorInfoSchema } from '../gen/google/rpc/error_details_pb'
import { reasonOf } from './app-error'
import { toAppError } from './error-reason'
import { Code, RpcError } from './grpc-web'

function refusal(reason: string, domain = 'garimpo') {
  return new RpcError('shown to nobody', 3, [
    anyPack(
      ErrorInfoSchema,
      create(ErrorInfoSchema, { reason, domain, metadata: { price_centavos: '9790' } }),
    ),
    anyPack(
      BadRequestSchema,
      create(BadRequestSchema, {
        fieldViolations: [{ field: 'email', description: 'not an address' }],
      }),
    ),
  ])
}

test('the reason and the fields come from the error details', () => {
  expect(toAppError(refusal('INVALID_EMAIL'))).toMatchObject({
    reason: 'INVALID_EMAIL',
    fields: { email: 'not an address' },
    metadata: { price_centavos: '9790' },
  })
})

test('an unknown reason or domain is an internal error', () => {
  expect(toAppError(refusal('SOMETHING_NEW')).reason).toBe('INTERNAL')
  expect(toAppError(refusal('INVALID_EMAIL', 'another')).reason).toBe('INTERNAL')
})

test('without details, the transport code decides the reason', () => {
  expect(toAppError(new RpcError('', Code.DeadlineExceeded)).reason).toBe('UNAVAILABLE')
  expect(toAppError(new RpcError('', Code.Unknown)).reason).toBe('INTERNAL')
  expect(toAppError(new TypeError('Failed to fetch')).reason).toBe('OFFLINE')
})

test('an error that is not a failed call is an internal error', () => {
  expect(reasonOf(new Error('x'))).toBe('INTERNAL')
})
