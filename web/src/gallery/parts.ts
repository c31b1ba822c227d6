import type { Elements } from '../lib/elements'

/** A part in one state. */
export interface Sample {
  state: string
  content: Elements
  /** What it stands on, if not on a card. */
  ground?: 'inverse' | 'page'
  /** As wide as the gallery. */
  wide?: boolean
}

export interface Part {
  /** When to use it. */
  use: string
  samples: readonly Sample[]
}

/** Parts by the name under which src/ui exports them. */
export type Parts = Readonly<Record<string, Part>>
