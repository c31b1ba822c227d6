import { plans } from '../gen/catalog.json'

const names: ReadonlyMap<string, string> = new Map(plans.map(({ id, name }) => [id, name]))

/** The name of a plan id: an unknown id is shown raw, a missing one as 'N/A'. Spec section 3. */
export function planName(id: string | null | undefined): string {
  return id ? (names.get(id) ?? id) : 'N/A'
}
