import type { RouteRow } from './route-table.ts'

/**
 * The file that a page's `Speculation-Rules` header names: a browser prefetches a page of the site
 * when a pointer rests on its link. Nothing is prerendered, because that would count visits.
 * https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/script/type/speculationrules
 */
export function speculationRules(pages: readonly RouteRow[]): string {
  const where = { href_matches: pages.map(({ path }) => path) }
  return `${JSON.stringify({ prefetch: [{ where, eagerness: 'moderate' }] })}\n`
}
