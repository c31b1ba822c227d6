/** Something that moves on by itself, round and round. */
export interface Rotation {
  /** Shows `index` now; the wait begins anew. */
  go: (index: number) => void
  /** Moves on from now on, a whole interval from here. */
  run: () => void
  /** Stands still until `run`. */
  hold: () => void
}

/** Calls `show` with 1, 2, … and 0 again, `intervalMs` apart, while it runs. It begins on hold. */
export function rotation(count: number, intervalMs: number, show: (index: number) => void): Rotation {
  let current = 0
  let running = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const wait = () => {
    clearTimeout(timer)
    if (running) timer = setTimeout(() => go((current + 1) % count), intervalMs)
  }
  const go = (index: number) => {
    current = index
    show(index)
    wait()
  }
  const set = (value: boolean) => () => {
    running = value
    wait()
  }
  return { go, run: set(true), hold: set(false) }
}
