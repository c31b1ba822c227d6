import type { RouteRow } from './route-table.ts'

/** The files that search engines read: the prerendered pages, each by its first address. */
export function sitemap(addresses: string[]): string {
  const urls = addresses.map((address) => `  <url><loc>${address}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`
}

export function robots(sitemapAddress: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${sitemapAddress}\n`
}

/**
 * The file that a page's `Speculation-Rules` header names: a browser prefetches a page of the site
 * when a pointer rests on its link. Nothing is prerendered, because that would count visits.
 * https://developer.mozilla.org/docs/Web/HTML/Reference/Elements/script/type/speculationrules
 */
export function speculationRules(pages: readonly RouteRow[]): string {
  const where = { href_matches: pages.map(({ path }) => path) }
  return `${JSON.stringify({ prefetch: [{ where, eagerness: 'moderate' }] })}\n`
}
