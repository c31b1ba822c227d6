/**
 * Renders every prerendered route to HTML and writes what the gateway needs to serve the site:
 *
 * dist/routes.json
 *   {
 *     "routes": [                      one entry per address: aliases have their own
 *       {
 *         "path": "/home",             exact address; the gateway also takes it with one trailing slash
 *         "canonical": "/",            the screen's first address (equal to path but for aliases)
 *         "kind": "prerendered",       "prerendered" | "shell" (client-rendered from app.html)
 *         "file": "index.html",        in dist/, with .br and .gz beside it
 *         "campaignFile": "index.black-november.html" | null
 *                                      served instead of `file` while Black November runs
 *         "csp": "default",            "default" | "account" (wider by https pictures) | "checkout" (by its origins)
 *         "noindex": false             true: also send `x-robots-tag: noindex`
 *       }
 *     ],
 *     "notFound": "404.html"           answers every other page address, with status 404
 *   }
 * dist/csp.json
 *   { "styleHashes": ["sha256-…"] }    goes into style-src beside 'self': the CSS inlined in the pages
 *
 * dist/sitemap.xml, dist/robots.txt   what search engines ask for
 *
 * Where a page, the sitemap or robots.txt names the site's own address stands ORIGIN of src/app/origin.ts: the gateway
 * puts the public address there. Every other file in dist/ is served as it is: /assets/* never changes (immutable, a
 * year), the rest no-cache.
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const DIST = 'dist'

export async function prerenderSite() {
  const server = await import(pathToFileURL(resolve('dist-ssr/entry-server.js')).href)
  const template = readFileSync(join(DIST, 'index.html'), 'utf8')
  const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'))
  const styles = inlineStyles(template)
  const starter = writeStarter()
  const page = {
    template,
    manifest,
    styles,
    starter,
    plansNotice: server.plansNotice,
    lateBar: server.lateParts.prerendered(),
    jsonLd: server.jsonLd,
  }

  const shell = template
    .replace(
      '<!--head-->',
      `<title class="late">${server.shellTitle}</title><meta name="robots" content="noindex">${fontPreload(manifest)}`,
    )
    .replace('<!--app-->', '')
    .replace('</body>', `${server.lateParts.shell()}</body>`)
  // Vite's template is named as the home page is.
  renameSync(join(DIST, 'index.html'), join(DIST, 'app.html'))
  writeFileSync(join(DIST, 'app.html'), shell)

  const rows = []
  let count = 0
  for (const route of server.routes) {
    const name = fileName(route.path)
    const prerendered = route.render === 'prerendered'
    const campaignFile = prerendered && route.byCampaign ? `${name}.black-november.html` : null
    const file = prerendered ? `${name}.html` : 'app.html'
    if (prerendered) {
      const states = campaignFile
        ? [
            ['none', file],
            ['black-november', campaignFile],
          ]
        : [[null, file]]
      for (const [campaign, target] of states) {
        const html = await server.render(route.path, campaign)
        writeFileSync(join(DIST, target), document(page, html, route, campaign))
        count += 1
      }
    }
    for (const path of [route.path, ...route.aliases]) {
      rows.push({
        path,
        canonical: route.path,
        kind: route.render,
        file,
        campaignFile,
        csp: route.csp,
        noindex: route.noindex,
      })
    }
  }

  const notFound = await server.render('/404', null)
  writeFileSync(
    join(DIST, '404.html'),
    document(page, notFound, { page: server.notFoundPage, hydrate: true }, null),
  )
  writeFileSync(
    join(DIST, 'routes.json'),
    `${JSON.stringify({ routes: rows, notFound: '404.html' }, null, 2)}\n`,
  )
  writeFileSync(join(DIST, 'sitemap.xml'), sitemap(server))
  writeFileSync(
    join(DIST, 'robots.txt'),
    `User-agent: *\nAllow: /\n\nSitemap: ${server.absolute('/sitemap.xml')}\n`,
  )
  writeFileSync(join(DIST, 'csp.json'), `${JSON.stringify({ styleHashes: [styles.hash] })}\n`)
  return { pages: count + 1, origin: server.ORIGIN }
}

/** The screens that search engines may show, each by its first address. */
function sitemap({ routes, absolute }) {
  const places = routes
    .filter(({ noindex }) => !noindex)
    .map(({ path }) => `  <url><loc>${absolute(path)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${places.join('')}</urlset>\n`
}

/** `/` is index, `/planos` is planos, `/a/b` would be a.b: one flat folder. */
function fileName(path) {
  return path === '/' ? 'index' : path.slice(1).replaceAll('/', '.')
}

/** The one stylesheet as text, and its hash for style-src: it is the same on every page. */
function inlineStyles(template) {
  const link = template.match(/<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/)
  if (!link) throw new Error('the template has no stylesheet')
  const css = readFileSync(join(DIST, link[1]), 'utf8').trim()
  if (/url\((?!["']?\/)/.test(css)) throw new Error('a url() in the CSS is not absolute')
  return { link: link[0], css, hash: `sha256-${createHash('sha256').update(css).digest('base64')}` }
}

/** What calls a page's scripts, as a file of its own: the policy refuses scripts in the page. */
function writeStarter() {
  const code = readFileSync('scripts/starter.js', 'utf8').replace(/^\/\*\*.*?\*\/\s*/s, '')
  const file = `assets/start-${createHash('sha256').update(code).digest('base64url').slice(0, 8)}.js`
  writeFileSync(join(DIST, file), code)
  return file
}

function fontPreload(manifest) {
  const font = Object.values(manifest).find(({ file }) => /figtree-latin-wght-normal/.test(file))
  const file =
    font?.file ??
    Object.values(manifest)
      .flatMap(({ assets }) => assets ?? [])
      .find((asset) => /figtree-latin-wght-normal/.test(asset))
  if (!file) throw new Error('the font is not in the manifest')
  return `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${file}">`
}

/** Files of a page's chunk and of what it imports. */
function chunks(manifest, key, seen = new Set()) {
  const chunk = manifest[key]
  if (!chunk || seen.has(key)) return []
  seen.add(key)
  return [chunk.file, ...(chunk.imports ?? []).flatMap((name) => chunks(manifest, name, seen))]
}

function document(
  { template, manifest, styles, starter, plansNotice, lateBar, jsonLd },
  html,
  route,
  campaign,
) {
  // React puts title, meta and link first when it renders no <html>: they belong in the head.
  let head = ''
  const body = html.replace(/^((?:<title>.*?<\/title>|<meta [^>]*>|<link [^>]*>)+)/s, (found) => {
    head = found
    return ''
  })
  const tags =
    /\s*<(?:script type="module"|link rel="modulepreload")[^>]*(?:src|href)="([^"]+)"[^>]*>(?:<\/script>)?/g
  const own = chunks(manifest, `src/pages/${route.page}.tsx`).map((file) => `/${file}`)
  // The entry is the last that Vite names.
  const scripts = [...new Set([...[...template.matchAll(tags)].map(([, file]) => file).reverse(), ...own])]
  const start = route.hydrate ? `<script type="module" src="/${starter}"></script>` : ''
  let out = template
    .replaceAll(tags, '')
    .replace(styles.link, () => `<style>${styles.css}</style>`)
    .replace('<!--head-->', () => fontPreload(manifest) + head + start + dataBlock(jsonLd, route))
    .replace('<!--app-->', () => body)
    .replace('</body>', () => `${route.hydrate ? lateBar : ''}</body>`)
  // Outside of the root, so that hydration does not meet it.
  if (body.includes('id="planos"'))
    out = out.replace(
      '<div id="root">',
      `<noscript><p class="needs-script">${plansNotice}</p></noscript><div id="root">`,
    )
  if (campaign) out = out.replace('<div id="root">', `<div id="root" data-campaign="${campaign}">`)
  if (route.hydrate) out = out.replace('<div id="root"', `<div id="root" data-scripts="${scripts.join(' ')}"`)
  refuse(out, /<script(?![^>]*\b(?:src=|type="application\/ld\+json"))/, 'an inline script', route)
  refuse(out, /<[^>]+\sstyle="/, 'a style attribute', route)
  return out
}

/** No script: the CSP lets data blocks be. */
function dataBlock(jsonLd, route) {
  const text = route.path && jsonLd(route)
  return text ? `<script type="application/ld+json">${text}</script>` : ''
}

/** The CSP would block it, silently: better no build. */
function refuse(html, pattern, what, route) {
  const found = html.match(pattern)
  if (!found) return
  const around = html.slice(Math.max(0, found.index - 80), found.index + 160)
  throw new Error(`${route.page} has ${what}: ${around}`)
}
