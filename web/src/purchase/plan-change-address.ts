import { names } from '../gen/catalog.json?names'
import { paths } from '../lib/paths'

/** The query of /area-usuario that names the plan of its change dialog, by id. */
export const WANTED_PLAN = 'plano'

/** Where a subscriber changes to the plan of that name: the account, with its dialog open and the plan chosen. */
export function planChangeAddress(name: string): string {
  const id = Object.keys(names).find((each) => names[each] === name)
  return id ? `${paths.account}?${WANTED_PLAN}=${id}` : paths.account
}
