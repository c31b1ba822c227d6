const listeners = new Set<() => void>()

let epoch = 0

/**
 * Counts the changes of the session: the answer to a call from before a change is not about the
 * present session.
 */
export const sessionEpoch = {
  current: () => epoch,
  begin: () => {
    epoch += 1
  },
}

/** Calls `listener` when a call finds the session gone. Returns how to stop. */
export function onSessionGone(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function reportSessionGone(): void {
  for (const listener of listeners) listener()
}
