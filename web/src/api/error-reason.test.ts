import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { BadRequestSchema, ErrorInfoSchema } from '../gen/google/rpc/error_details_pb'
import { reasonOf } from './app-error'
import { toAppError } from './error-reason'

function refusal(reason: string, domain = 'garimpo') {
  return new ConnectError('shown to nobody', Code.InvalidArgument, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain, metadata: { price_centavos: '9790' } } },
    {
      desc: BadRequestSchema,
      value: { fieldViolations: [{ field: 'email', description: 'not an address' }] },
    },
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
  expect(toAppError(new ConnectError('', Code.DeadlineExceeded)).reason).toBe('UNAVAILABLE')
  expect(toAppError(new ConnectError('', Code.Unknown)).reason).toBe('INTERNAL')
  expect(toAppError(new TypeError('Failed to fetch')).reason).toBe('OFFLINE')
})

test('an error that is not a failed call is an internal error', () => {
  expect(reasonOf(new Error('x'))).toBe('INTERNAL')
})
