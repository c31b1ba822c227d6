import { names } from '../lib/catalog'

/** The name of a plan id: an unknown id is shown as it is, a missing one as 'N/A'. */
export function planName(id: string | null | undefined): string {
  return id ? (names[id] ?? id) : 'N/A'
}
