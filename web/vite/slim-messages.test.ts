import { readFileSync } from 'node:fs'
import { createFileRegistry, type DescFile, type DescMessage } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { file_garimpo_auth_v1_auth_service as auth } from '../src/gen/garimpo/auth/v1/auth_service_pb'
import { file_garimpo_billing_v1_billing_service as billing } from '../src/gen/garimpo/billing/v1/billing_service_pb'
import { file_garimpo_billing_v1_plan as plan } from '../src/gen/garimpo/billing/v1/plan_pb'
import { file_garimpo_errors_v1_error_reason as reasons } from '../src/gen/garimpo/errors/v1/error_reason_pb'
import { file_garimpo_tracking_v1_origin as origin } from '../src/gen/garimpo/tracking/v1/origin_pb'
import { file_garimpo_tracking_v1_tracking_service as tracking } from '../src/gen/garimpo/tracking/v1/tracking_service_pb'
import { file_garimpo_users_v1_user_service as users } from '../src/gen/garimpo/users/v1/user_service_pb'
import { file_google_rpc_error_details as details } from '../src/gen/google/rpc/error_details_pb'
import { DESCRIPTOR, descriptorOf } from './slim-messages'

const files = [auth, billing, plan, reasons, origin, tracking, users, details]

/** The properties that determine the encoding of a message. */
const formatOf = ({ typeName, fields, nestedMessages }: DescMessage): unknown => ({
  typeName,
  fields: fields.map((field) => ({
    name: field.localName,
    number: field.number,
    kind: [field.fieldKind, field.scalar, field.message?.typeName, field.enum?.typeName],
    of: [
      'listKind' in field && field.listKind,
      'mapKind' in field && [field.mapKey, field.mapKind],
      'packed' in field && field.packed,
    ],
    presence: field.presence,
    oneof: field.oneof?.name,
  })),
  nested: nestedMessages.map(formatOf),
})

test.each(files.map((file) => [file.name, file] as const))(
  'the descriptor of %s without base64 describes the same messages',
  (name: string, file: DescFile) => {
    const code = readFileSync(`src/gen/${name}_pb.ts`, 'utf8')
    const [, base64 = ''] = [...code.matchAll(DESCRIPTOR)][0] ?? []
    const bare = JSON.parse(JSON.stringify(descriptorOf(base64)))
    bare.dependency = file.dependencies.map(({ proto }) => proto.name)
    const registry = createFileRegistry(bare, (path) =>
      file.dependencies.find(({ proto }) => proto.name === path),
    )
    const same = registry.getFile(file.proto.name)
    expect(same?.messages.map(formatOf)).toEqual(file.messages.map(formatOf))
    expect(
      same?.enums.map(({ typeName, values }) => [typeName, values.map(({ name, number }) => [name, number])]),
    ).toEqual(
      file.enums.map(({ typeName, values }) => [typeName, values.map(({ name, number }) => [name, number])]),
    )
    expect(
      same?.services.map(({ methods }) =>
        methods.map(({ name, methodKind, input, output }) => [
          name,
          methodKind,
          input.typeName,
          output.typeName,
        ]),
      ),
    ).toEqual(
      file.services.map(({ methods }) =>
        methods.map(({ name, methodKind, input, output }) => [
          name,
          methodKind,
          input.typeName,
          output.typeName,
        ]),
      ),
    )
  },
)
