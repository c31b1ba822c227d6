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

test('o motivo e os campos vêm dos detalhes', () => {
  expect(toAppError(refusal('INVALID_EMAIL'))).toMatchObject({
    reason: 'INVALID_EMAIL',
    fields: { email: 'not an address' },
    metadata: { price_centavos: '9790' },
  })
})

test('um motivo que o catálogo não tem é erro interno', () => {
  expect(toAppError(refusal('SOMETHING_NEW')).reason).toBe('INTERNAL')
  expect(toAppError(refusal('INVALID_EMAIL', 'another')).reason).toBe('INTERNAL')
})

test('sem detalhes, o código do transporte decide', () => {
  expect(toAppError(new RpcError('', Code.DeadlineExceeded)).reason).toBe('UNAVAILABLE')
  expect(toAppError(new RpcError('', Code.Unknown)).reason).toBe('INTERNAL')
  expect(toAppError(new TypeError('Failed to fetch')).reason).toBe('OFFLINE')
})

test('o que não é falha de chamada é erro interno', () => {
  expect(reasonOf(new Error('x'))).toBe('INTERNAL')
})
