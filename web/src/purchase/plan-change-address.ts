import { names } from '../lib/catalog'
import { paths, planChangeOf } from '../lib/paths'

/** Where a subscriber changes to the plan of that name. */
export function planChangeAddress(name: string): string {
  const id = Object.keys(names).find((each) => names[each] === name)
  return id ? planChangeOf(id) : paths.account
}
