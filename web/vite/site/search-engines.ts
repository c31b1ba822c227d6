/** The files that search engines read: the prerendered pages, each by its first address. */
export function sitemap(addresses: string[]): string {
  const urls = addresses.map((address) => `  <url><loc>${address}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('')}</urlset>\n`
}

export function robots(sitemapAddress: string): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${sitemapAddress}\n`
}
