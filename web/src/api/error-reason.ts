import { Code, ConnectError } from '@connectrpc/connect'
import { ErrorReason } from '../gen/garimpo/errors/v1/error_reason_pb'
import { BadRequestSchema, ErrorInfoSchema } from '../gen/google/rpc/error_details_pb'
import { AppError, type Reason } from './app-error'

const DOMAIN = 'garimpo'

/** The only reader of error details: from what a client throws to an AppError. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const error = ConnectError.from(thrown)
  if (error.cause instanceof AppError) return error.cause
  const info = error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === DOMAIN)
  const violations = error.findDetails(BadRequestSchema)[0]?.fieldViolations ?? []
  return new AppError(isReason(info?.reason) ? info.reason : reasonWithoutInfo(error), {
    fields: Object.fromEntries(violations.map(({ field, description }) => [field, description])),
    metadata: info?.metadata ?? {},
    cause: thrown,
  })
}

function isReason(name: string | undefined): name is Reason {
  return name !== undefined && name !== 'UNSPECIFIED' && name in ErrorReason
}

/** Without ErrorInfo, the transport failed: no connection, a deadline, or a fault of ours. */
function reasonWithoutInfo({ code, cause }: ConnectError): Reason {
  // `fetch` throws it without a connection.
  if (cause instanceof TypeError) return 'OFFLINE'
  switch (code) {
    case Code.Unavailable:
    case Code.DeadlineExceeded:
    case Code.Canceled:
      return 'UNAVAILABLE'
    case Code.Unauthenticated:
      return 'UNAUTHENTICATED'
    case Code.ResourceExhausted:
      return 'TOO_MANY_REQUESTS'
    default:
      return 'INTERNAL'
  }
}
