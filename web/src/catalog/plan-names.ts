import { paths, planChangeOf } from '../lib/paths'
import { names } from './catalog'

/** The name of a plan id: an unknown id is shown as it is, a missing one as 'N/A'. */
export function planName(id: string | null | undefined): string {
  return id ? (names.get(id) ?? id) : 'N/A'
}

/**
 * The id of a display name, where storage or an address has one. An id and an unknown name stay as
 * they are: the server refuses the name.
 */
export function planIdOf(name: string): string {
  return [...names].find(([, known]) => known === name)?.[0] ?? name
}

/** Where a subscriber changes to a plan; the account for one that is not in the catalogue. */
export function planChangeAddress(planId: string | undefined): string {
  return planId !== undefined && names.has(planId) ? planChangeOf(planId) : paths.account
}
