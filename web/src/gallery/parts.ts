import type { Elements } from '../lib/elements'

type States = Readonly<Record<string, Elements>>

/** A part in every state. */
export interface Part {
  states?: States
  /** On a dark ground. */
  dark?: States
  /** As wide as the gallery. */
  wide?: States
  /** As wide as the gallery, on the ground of the page. */
  page?: States
  /** Of a part that a page has once: the height of the frames of its states, in px. */
  frame?: number
}

/** Parts by the name under which src/ui and src/parts export them. */
export type Parts = Readonly<Record<string, Part>>

const sources = Object.values(
  import.meta.glob<string>('../{ui,parts}/*.tsx', { query: '?raw', import: 'default', eager: true }),
)

/** The comment above a part. */
export function commentOf(part: string): string {
  const [before = ''] = sources.join('\n').split(new RegExp(`\\nexport (?:default )?function ${part}\\b`))
  const comment = before.slice(before.lastIndexOf('/**'))
  return comment.replace(/[/*\s]+/g, ' ').trim()
}
