/**
 * Renders every prerendered route to HTML and writes what the gateway needs to serve the site:
 *
 * dist/routes.json
 *   {
 *     "release": "site-Cu35oAmy.js",   the main script, whose name changes with every script; errors of pages name it
 *     "routes": [                      one entry per address: aliases have their own
 *       {
 *         "path": "/home",             exact address; the gateway also takes it with one trailing slash
 *         "canonical": "/",            the screen's first address (equal to path but for aliases)
 *         "kind": "prerendered",       "prerendered" | "shell" (client-rendered from an empty page)
 *         "file": "index.html",        in dist/, with .br and .gz beside it
 *         "campaignFile": "index.black-november.html" | null
 *                                      served instead of `file` while Black November runs
 *         "csp": "default",            "default" | "account" (wider by https pictures) | "checkout" (by its origins)
 *         "styleHash": "sha256-…",     goes into style-src beside 'self': the CSS inlined in the page; null without
 *         "noindex": false             true: also send `x-robots-tag: noindex`
 *       }
 *     ],
 *     "notFound": {                    answers every other page address, with status 404
 *       "file": "404.html", "styleHash": "sha256-…"
 *     }
 *   }
 *
 * dist/sitemap.xml, dist/robots.txt   what search engines ask for
 *
 * Where a page, the sitemap or robots.txt names the site's own address stands ORIGIN of src/app/origin.ts: the gateway
 * puts the public address there. Every other file in dist/ is served as it is: /assets/* never changes (immutable, a
 * year), the rest no-cache.
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const DIST = 'dist'
const ENTRY = 'index.html'

export async function prerenderSite() {
  const server = await import(pathToFileURL(resolve('dist-ssr/entry-server.js')).href)
  const template = readFileSync(join(DIST, 'index.html'), 'utf8')
  const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'))
  const starter = writeStarter()
  const page = {
    template,
    manifest,
    starter,
    plansNotice: server.plansNotice,
    lateBar: server.lateParts.prerendered(),
    lateBarWithPlans: server.lateParts.withPlans(),
    jsonLd: server.jsonLd,
  }

  const writeShell = (file, title, route) => {
    const head = `<title class="late">${title}</title>${server.shell.head(route)}${fontPreload(manifest)}`
    const html = template
      .replace('<!--head-->', () => head)
      .replace('<!--app-->', '')
      .replace('</body>', () => `${server.lateParts.shell()}</body>`)
    writeFileSync(join(DIST, file), html)
  }
  // Vite's template is named as the home page is.
  renameSync(join(DIST, 'index.html'), join(DIST, 'app.html'))
  writeShell('app.html', server.shell.title, null)

  const rows = []
  let count = 0
  for (const route of server.routes) {
    const name = fileName(route.path)
    const prerendered = route.render === 'prerendered'
    const campaignFile = prerendered && route.byCampaign ? `${name}.black-november.html` : null
    // A page of the account that is shared has a shell of its own, with what the link shows.
    const shared = !prerendered && server.isShared(route.path)
    const file = prerendered || shared ? `${name}.html` : 'app.html'
    if (shared) writeShell(file, route.title, route)
    let styleHash = null
    if (prerendered) {
      const states = campaignFile
        ? [
            ['none', file],
            ['black-november', campaignFile],
          ]
        : [[null, file]]
      const html = new Map()
      for (const [campaign] of states) html.set(campaign, await server.render(route.path, campaign))
      // One stylesheet for both states, so that a page has one policy.
      const styles = inlineStyles(manifest, route.page, [...html.values()].join(''))
      styleHash = styles.hash
      for (const [campaign, target] of states)
        writeFileSync(join(DIST, target), document(page, html.get(campaign), styles, route, campaign))
      count += states.length
    }
    for (const path of [route.path, ...route.aliases]) {
      rows.push({
        path,
        canonical: route.path,
        kind: route.render,
        file,
        campaignFile,
        csp: route.csp,
        styleHash,
        noindex: !prerendered,
      })
    }
  }

  const notFoundHtml = await server.render('/404', null)
  const styles = inlineStyles(manifest, server.notFoundPage, notFoundHtml)
  const nowhere = { page: server.notFoundPage }
  writeFileSync(join(DIST, '404.html'), document(page, notFoundHtml, styles, nowhere, null))
  const notFound = { file: '404.html', styleHash: styles.hash }
  const table = { release: release(manifest), routes: rows, notFound }
  writeFileSync(join(DIST, 'routes.json'), `${JSON.stringify(table, null, 2)}\n`)
  writeFileSync(join(DIST, 'sitemap.xml'), sitemap(server))
  writeFileSync(
    join(DIST, 'robots.txt'),
    `User-agent: *\nAllow: /\n\nSitemap: ${server.absolute('/sitemap.xml')}\n`,
  )
  return { pages: count + 1, origin: server.ORIGIN }
}

/** The screens that search engines may show, each by its first address. */
function sitemap({ routes, absolute }) {
  const places = routes
    .filter(({ render }) => render === 'prerendered')
    .map(({ path }) => `  <url><loc>${absolute(path)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${places.join('')}</urlset>\n`
}

/** `/` is index, `/planos` is planos, `/a/b` would be a.b: one flat folder. */
function fileName(path) {
  return path === '/' ? 'index' : path.slice(1).replaceAll('/', '.')
}

/**
 * The CSS that a page's HTML needs, inlined so that its first paint waits for no second request: that of the frame, of
 * the page, and of those parts on demand that are in the HTML. A link that is disabled is never fetched; it tells Vite's
 * loader of scripts that their styles are here.
 */
function inlineStyles(manifest, page, html) {
  const always = [ENTRY, `src/pages/${page}.tsx`].flatMap((key) => chunks(manifest, key))
  const onDemand = always
    .flatMap(({ dynamicImports = [] }) => dynamicImports)
    .filter((key) => !key.startsWith('src/pages/'))
    .flatMap((key) => chunks(manifest, key))
  const files = (parts) => [...new Set(parts.flatMap(({ css = [] }) => css))]
  const first = files(always)
  const read = (file) => readFileSync(join(DIST, file), 'utf8').trim()
  const shown = files(onDemand).filter((file) => !first.includes(file) && isShown(read(file), html))
  const named = [...first, ...shown]
  const css = named.map(read).join('')
  if (/url\((?!["']?\/)/.test(css)) throw new Error('a url() in the CSS is not absolute')
  const links = named.map((file) => `<link rel="stylesheet" href="/${file}" disabled>`).join('')
  const hash = `sha256-${createHash('sha256').update(css).digest('base64')}`
  return { tags: `<style>${css}</style>${links}`, hash }
}

/** Whether one of the classes that a stylesheet names is in the HTML. */
function isShown(css, html) {
  const worn = new Set([...html.matchAll(/\sclass="([^"]+)"/g)].flatMap(([, names]) => names.split(' ')))
  return [...css.matchAll(/\.([a-z][\w-]*)/g)].some(([, name]) => worn.has(name))
}

/** What calls a page's scripts, as a file of its own: the policy refuses scripts in the page. */
function writeStarter() {
  const code = readFileSync('scripts/starter.js', 'utf8').replace(/^\/\*\*.*?\*\/\s*/s, '')
  const file = `assets/start-${createHash('sha256').update(code).digest('base64url').slice(0, 8)}.js`
  writeFileSync(join(DIST, file), code)
  return file
}

/** The file of src/app/page-errors.ts, which reports its own name. */
function release(manifest) {
  const site = Object.values(manifest).find(({ file }) => file.startsWith('assets/site-'))
  if (!readFileSync(join(DIST, site.file), 'utf8').includes('/api/client-errors'))
    throw new Error('src/app/page-errors.ts is not in the main script')
  return basename(site.file)
}

function fontPreload(manifest) {
  const font = Object.values(manifest).find(({ src }) => src === 'src/styles/figtree-pt.woff2')
  if (!font) throw new Error('the font is not in the manifest')
  return `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font.file}">`
}

/** A chunk after what it imports, in the order in which their styles build on one another. */
function chunks(manifest, key, seen = new Set()) {
  const chunk = manifest[key]
  if (!chunk || seen.has(key)) return []
  seen.add(key)
  return [...(chunk.imports ?? []).flatMap((name) => chunks(manifest, name, seen)), chunk]
}

function document(
  { template, manifest, starter, plansNotice, lateBar, lateBarWithPlans, jsonLd },
  html,
  styles,
  route,
  campaign,
) {
  // React puts title, meta and link first when it renders no <html>: they belong in the head.
  let head = ''
  const body = shortShapes(html).replace(
    /^((?:<title>.*?<\/title>|<meta [^>]*>|<link [^>]*>)+)/s,
    (found) => {
      head = found
      return ''
    },
  )
  const hasPlans = body.includes('id="planos"')
  const tags =
    /\s*<(?:script type="module"|link rel="modulepreload")[^>]*(?:src|href)="([^"]+)"[^>]*>(?:<\/script>)?/g
  const own = chunks(manifest, `src/pages/${route.page}.tsx`).map(({ file }) => `/${file}`)
  // The entry is the last that Vite names.
  const scripts = [...new Set([...[...template.matchAll(tags)].map(([, file]) => file).reverse(), ...own])]
  // The starter adds them after the first paint, ahead of which each would open a connection of its own.
  const icons = /\s*(<link rel="(?:icon|apple-touch-icon|manifest)"[^>]*>)/g
  const later = [...template.matchAll(icons)].map(([, link]) => link).join('')
  const start = `<link rel="icon" href="data:,"><noscript id="icons">${later}</noscript><script type="module" fetchpriority="low" src="/${starter}"></script>`
  let out = template
    .replaceAll(tags, '')
    .replaceAll(icons, '')
    .replace(/\s*<link rel="stylesheet"[^>]*>/, () => styles.tags)
    .replace('<!--head-->', () => fontPreload(manifest) + head + start + dataBlock(jsonLd, route, campaign))
    .replace('<!--app-->', () => body)
    .replace('</body>', () => `${hasPlans ? lateBarWithPlans : lateBar}</body>`)
  // Outside of the root, so that hydration does not meet it.
  if (hasPlans)
    out = out.replace(
      '<div id="root">',
      `<noscript><p class="needs-script">${plansNotice}</p></noscript><div id="root">`,
    )
  if (campaign) out = out.replace('<div id="root">', `<div id="root" data-campaign="${campaign}">`)
  out = out.replace('<div id="root"', `<div id="root" data-scripts="${scripts.join(' ')}"`)
  refuse(out, /<script(?![^>]*\b(?:src=|type="application\/ld\+json"))/, 'an inline script', route)
  refuse(out, /<[^>]+\sstyle="/, 'a style attribute', route)
  return out
}

/** React ends each shape of a drawing by its name; the browser needs none. */
function shortShapes(html) {
  return html.replaceAll(/><\/(?:circle|ellipse|path|rect)>/g, '/>')
}

/** No script: the CSP lets data blocks be. */
function dataBlock(jsonLd, route, campaign) {
  const text = route.path && jsonLd(route, campaign)
  return text ? `<script type="application/ld+json">${text}</script>` : ''
}

/** The CSP would block it, silently: better no build. */
function refuse(html, pattern, what, route) {
  const found = html.match(pattern)
  if (!found) return
  const around = html.slice(Math.max(0, found.index - 80), found.index + 160)
  throw new Error(`${route.page} has ${what}: ${around}`)
}
