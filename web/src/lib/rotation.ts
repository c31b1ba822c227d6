/**
 * Calls `show` with 1, 2, … and 0 again, `intervalMs` apart, while it runs. It begins on hold: `run` moves on from then
 * on, `hold` stops it, and `go` shows an index now and begins the wait anew.
 */
export function rotation(count: number, intervalMs: number, show: (index: number) => void) {
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
