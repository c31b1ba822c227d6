import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from 'vitest'
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from '../gen/google/rpc/error_details_pb'
import { reasonOf } from './app-error'
import { toAppError } from './error-reason'

function refusal(reason: string, domain = 'garimpo') {
  return new ConnectError('shown to nobody', Code.InvalidArgument, undefined, [
    {
      desc: ErrorInfoSchema,
      value: create(ErrorInfoSchema, { reason, domain, metadata: { price_centavos: '9790' } }),
    },
    {
      desc: BadRequestSchema,
      value: create(BadRequestSchema, {
        fieldViolations: [{ field: 'email', description: 'not an address' }],
      }),
    },
    {
      desc: RetryInfoSchema,
      value: create(RetryInfoSchema, { retryDelay: { seconds: 2n, nanos: 500_000_000 } }),
    },
  ])
}

test('o motivo, os campos e a espera vêm dos detalhes', () => {
  expect(toAppError(refusal('INVALID_EMAIL'))).toMatchObject({
    reason: 'INVALID_EMAIL',
    fields: { email: 'not an address' },
    metadata: { price_centavos: '9790' },
    retryAfterMs: 2500,
  })
})

test('um motivo que o catálogo não tem é erro interno', () => {
  expect(toAppError(refusal('SOMETHING_NEW')).reason).toBe('INTERNAL')
  expect(toAppError(refusal('INVALID_EMAIL', 'another')).reason).toBe('INTERNAL')
})

test('sem detalhes, o código do transporte decide', () => {
  expect(toAppError(new ConnectError('', Code.DeadlineExceeded)).reason).toBe('UNAVAILABLE')
  expect(toAppError(new ConnectError('', Code.Unknown)).reason).toBe('INTERNAL')
  expect(toAppError(new TypeError('Failed to fetch')).reason).toBe('OFFLINE')
})

test('o que não é falha de chamada é erro interno', () => {
  expect(reasonOf(new Error('x'))).toBe('INTERNAL')
})
