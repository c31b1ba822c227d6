import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { anyUnpack } from '@bufbuild/protobuf/wkt'
import { ErrorReason } from '../gen/garimpo/errors/v1/error_reason_pb'
import { BadRequestSchema, ErrorInfoSchema } from '../gen/google/rpc/error_details_pb'
import { AppError, type Reason } from './app-error'
import { Code, RpcError } from './grpc-web'

const DOMAIN = 'garimpo'

/** The only reader of error details: from what a client throws to an AppError. */
export function toAppError(thrown: unknown): AppError {
  const info = detailsOf(thrown, ErrorInfoSchema).find(({ domain }) => domain === DOMAIN)
  const violations = detailsOf(thrown, BadRequestSchema)[0]?.fieldViolations ?? []
  return new AppError(isReason(info?.reason) ? info.reason : reasonWithoutInfo(thrown), {
    fields: Object.fromEntries(violations.map(({ field, description }) => [field, description])),
    metadata: info?.metadata ?? {},
    cause: thrown,
  })
}

function detailsOf<Schema extends DescMessage>(thrown: unknown, schema: Schema): MessageShape<Schema>[] {
  if (!(thrown instanceof RpcError)) return []
  return thrown.details.flatMap((detail) => anyUnpack(detail, schema) ?? [])
}

function isReason(name: string | undefined): name is Reason {
  return name !== undefined && name !== 'UNSPECIFIED' && name in ErrorReason
}

/** Without ErrorInfo, the transport failed: no connection, a deadline, or a fault of ours. */
function reasonWithoutInfo(thrown: unknown): Reason {
  if (thrown instanceof TypeError) return 'OFFLINE'
  if (thrown instanceof DOMException && thrown.name === 'AbortError') return 'UNAVAILABLE'
  switch (thrown instanceof RpcError && thrown.code) {
    case Code.Unavailable:
    case Code.DeadlineExceeded:
      return 'UNAVAILABLE'
    case Code.Unauthenticated:
      return 'UNAUTHENTICATED'
    case Code.ResourceExhausted:
      return 'TOO_MANY_REQUESTS'
    default:
      return 'INTERNAL'
  }
}
