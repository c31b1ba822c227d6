/** A rectangle of the window, px. */
export interface Area {
  left: number
  top: number
  right: number
  bottom: number
}

const STEP_PX = 4

/**
 * How far down a message moves from its place, px, so that it covers the fewest actions: the
 * nearest such place on the way to the window's other edge. Negative: up.
 */
export function freeShift(message: Area, actions: readonly Area[], from: number, to: number): number {
  const [up, down] = [message.top - from, to - message.bottom]
  const sign = down > up ? 1 : -1
  const coveredAt = (shift: number) =>
    actions.filter(
      ({ left, top, right, bottom }) =>
        left < message.right &&
        right > message.left &&
        top < message.bottom + shift &&
        bottom > message.top + shift,
    ).length
  let best = { shift: 0, covered: coveredAt(0) }
  for (let moved = STEP_PX; best.covered > 0 && moved <= Math.max(up, down); moved += STEP_PX) {
    const covered = coveredAt(sign * moved)
    if (covered < best.covered) best = { shift: sign * moved, covered }
  }
  return best.shift
}
