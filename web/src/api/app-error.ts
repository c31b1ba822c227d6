import type { ErrorReason } from '../gen/garimpo/errors/v1/error_reason_pb'

/**
 * Why a call failed: a reason of the catalogue, OFFLINE when no answer came at all, COOKIES_BLOCKED
 * when the browser dropped the session of one that succeeded.
 */
export type Reason = Exclude<keyof typeof ErrorReason, 'UNSPECIFIED'> | 'OFFLINE' | 'COOKIES_BLOCKED'

/** Details of a reason, for instance price_centavos with PRICE_CHANGED. */
export type Metadata = Readonly<Record<string, string>>

/**
 * A failed call, as screens read it: they show their own text for `reason`, never the server's
 * message. Free of RPC code, so that any page may name it.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly reason: Reason
  /** Fields that were refused, by their name in the request. */
  readonly fields: Readonly<Record<string, string>>
  readonly metadata: Metadata

  constructor(
    reason: Reason,
    { fields = {}, metadata = {}, cause }: ErrorOptions & Partial<Pick<AppError, 'fields' | 'metadata'>> = {},
  ) {
    super(reason, { cause })
    this.reason = reason
    this.fields = fields
    this.metadata = metadata
  }
}

/** The reason of a failed call; INTERNAL for any other error. */
export function reasonOf(thrown: unknown): Reason {
  if (thrown instanceof AppError) return thrown.reason
  // Connect wraps what an interceptor throws.
  const { cause } = (thrown ?? {}) as { cause?: unknown }
  return cause instanceof AppError ? cause.reason : 'INTERNAL'
}
