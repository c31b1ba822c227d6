import { useRef } from 'react'

export type RequestId = ReturnType<typeof useRequestId>

/**
 * The idempotency key of a call: the same for every try, so that it takes effect once, whichever
 * responses were lost; `renew` begins another one.
 */
export function useRequestId() {
  const id = useRef<string | null>(null)
  return {
    current: () => {
      id.current ??= newId()
      return id.current
    },
    renew: () => {
      id.current = null
    },
  }
}

/** 128 random bits. Not `randomUUID`, which a page over plain http does not have. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
