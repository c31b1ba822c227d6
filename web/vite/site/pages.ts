/**
 * Writes every page of the route table, and the files about them: routes.json, sitemap.xml,
 * robots.txt.
 *
 * Where a page, the sitemap or robots.txt contains the site's own address, it has ORIGIN of
 * src/site/origin.ts. The gateway puts the public address there. Every other file is served as it
 * is: /assets/* never changes (immutable, a year), the rest is no-cache.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestChunk } from 'vite'
import type * as entryServer from '../../src/entry-server.tsx'
import { type Path, paths } from '../../src/lib/paths.ts'
import type { Route } from '../../src/routes/routes.ts'
import { type Page, prerenderedDocument, scriptsOf, shellDocument } from './document.ts'
import { frameStarter, inlineStyles, oldBrowserTest, starter } from './inline.ts'
import { Manifest } from './manifest.ts'
import type { RouteRow, RouteTable } from './route-table.ts'
import { robots, sitemap, speculationRules } from './search-engines.ts'

type Server = typeof entryServer
type Campaign = Parameters<Server['render']>[1]

/** Vite's templates. The one of the site becomes the home page. */
const TEMPLATES = { site: 'index.html', app: 'app.html' }
/** What calls the server, which nearly every page of the app does. */
const CALLS = 'src/api/clients.ts'
/** What every page of the site loads after its first paint. */
const VISIT = 'src/frame/visit.tsx'
/** Modules that no page of the site loads before it needs them. */
const ON_DEMAND =
  /\/node_modules\/@(?:bufbuild|connectrpc|tanstack)\/|\/src\/(?:app|features\/(?:account|auth|checkout|upsell)|gen\/garimpo)\/|\/src\/api\/(?:clients|transport)\.ts/
const NOT_FOUND = '404.html'

/**
 * `server` is src/entry-server.tsx as built, `modules` has the source modules of each script.
 * Returns the number of prerendered pages.
 */
export function writePages(dist: string, server: Server, modules: Map<string, string[]>): number {
  const site = new Site(dist, server, modules)
  const routes = server.routes.flatMap((route) => rowsOf(route, site.writeRoute(route)))
  const hashes = site.prerender(null, [[null, NOT_FOUND]])
  rmSync(join(dist, TEMPLATES.app))
  const table: RouteTable = {
    release: site.manifest.release(),
    routes,
    notFound: { area: 'site', file: NOT_FOUND, ...hashes },
  }
  const indexed = server.routes.filter(({ area }) => area === 'site')
  site.write('sign-up-files.json', JSON.stringify(site.scriptsOf(paths.signUp)))
  site.write('routes.json', `${JSON.stringify(table, null, 2)}\n`)
  site.write('speculation-rules.json', speculationRules(routes.filter(({ area }) => area === 'site')))
  site.write('sitemap.xml', sitemap(indexed.map(({ path }) => server.absolute(path))))
  site.write('robots.txt', robots(server.absolute('/sitemap.xml')))
  return site.pages
}

type Hashes = { styleHash: string; scriptHash: string }
type Files = Pick<RouteRow, 'file' | 'campaignFile' | 'styleHash' | 'scriptHash'>

function rowsOf(route: Route, files: Files): RouteRow[] {
  return [route.path, ...route.aliases].map((path) => ({
    path,
    canonical: route.path,
    area: route.area,
    csp: route.csp,
    ...files,
    noindex: route.area === 'app',
  }))
}

const address = ({ file }: ManifestChunk) => `/${file}`

/** `/` is index, `/a/b` would be a.b: one flat folder. */
const nameOf = (path: string) => (path === '/' ? 'index' : path.slice(1).replaceAll('/', '.'))

class Site {
  readonly manifest: Manifest
  pages = 0
  readonly #dist: string
  readonly #server: Server
  readonly #modules: Map<string, string[]>
  readonly #templates: Record<Route['area'], string>
  readonly #oldBrowserTest = oldBrowserTest()

  constructor(dist: string, server: Server, modules: Map<string, string[]>) {
    this.manifest = new Manifest(dist)
    this.#dist = dist
    this.#server = server
    this.#modules = modules
    const read = (file: string) =>
      // Line breaks and indentation cost 30 bytes of each page, packed.
      readFileSync(join(dist, file), 'utf8')
        .replaceAll(/\n\s*/g, '')
        .replace('<!--old-browser-->', server.oldBrowserNotice)
    this.#templates = { site: read(TEMPLATES.site), app: read(TEMPLATES.app) }
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#dist, file), text)
  }

  writeRoute(route: Route): Files {
    const name = nameOf(route.path)
    const file = `${name}.html`
    if (route.builtFor === 'visitor' || route.builtFor === 'chooser')
      return { file, campaignFile: null, ...this.#writeFrame(file, route) }
    if (route.area === 'app') {
      this.#writeShell(file, route)
      return { file, campaignFile: null, styleHash: null, scriptHash: this.#oldBrowserTest.hash }
    }
    const campaignFile = route.byCampaign ? `${name}.black-november.html` : null
    const states: [Campaign, string][] = campaignFile
      ? [
          ['none', file],
          ['black-november', campaignFile],
        ]
      : [[null, file]]
    return { file, campaignFile, ...this.prerender(route, states) }
  }

  /** An empty page, which names the scripts and styles of its screen so that they load at once. */
  #writeShell(file: string, route: Route): void {
    const { shell, lateParts, isShared } = this.#server
    const title = isShared(route.path) ? route.title : shell.title
    const template = this.#templates.app
    const needed = this.#chunksOf(route)
    const assets = new Set(needed.flatMap(({ file: script, css = [] }) => [...css, script]))
    const hints = [...assets]
      .filter((asset) => !template.includes(asset))
      .map((asset) => [asset.endsWith('.css') ? 'stylesheet' : 'modulepreload', asset])
      .map(([rel, asset]) => `<link rel="${rel}" crossorigin href="/${asset}">`)
      .join('')
    const head = `<title class="late">${title}</title>${shell.head(route)}${this.#oldBrowserTest.tag}`
    this.write(file, shellDocument(template, this.manifest, { head, hints, late: lateParts.shell() }))
  }

  /** The frame of a page of the app, and late parts for who has to wait for the page itself. */
  #writeFrame(file: string, route: Route): Hashes {
    const { shell, lateParts, renderFrame } = this.#server
    const chunks = [...this.manifest.closure(TEMPLATES.app), ...this.#chunksOf(route)]
    const styles = inlineStyles(this.manifest, chunks)
    const template = this.#templates.app
    const start = frameStarter(scriptsOf(template, chunks.map(address)), styles.files)
    const content: Page = {
      name: route.page,
      builtFor: route.builtFor,
      html: shell.head(route) + renderFrame(route),
      styles,
      starter: start,
      jsonLd: '',
      campaign: null,
      notice: '',
      late: lateParts.frame(),
    }
    this.write(file, prerenderedDocument(template, this.manifest, content))
    this.pages += 1
    return { styleHash: styles.hash, scriptHash: start.hash }
  }

  #chunksOf({ page }: Route): ManifestChunk[] {
    return [`src/app/pages/${page}.tsx`, CALLS].flatMap((source) => this.manifest.closure(source))
  }

  /** The addresses of the scripts of a page of the app. */
  scriptsOf(path: Path): string[] {
    const route = this.#server.routes.find((one) => one.path === path)
    if (!route) throw new Error(`no route has ${path}`)
    return scriptsOf(this.#templates.app, this.#chunksOf(route).map(address))
  }

  /**
   * Writes a page in each state of the campaign, with the same styles and starter, because a page
   * has one policy. Without a route it is the not-found page.
   */
  prerender(route: Route | null, states: readonly [Campaign, string][]): Hashes {
    const { render, jsonLd, notFoundPage } = this.#server
    const page = route?.page ?? notFoundPage
    const chunks = this.manifest.closure(TEMPLATES.site, `src/site/pages/${page}.tsx`)
    this.#refuseOnDemand(page, [...chunks, ...this.manifest.closure(VISIT)])
    const styles = inlineStyles(this.manifest, chunks)
    const template = this.#templates.site
    const start = starter(scriptsOf(template, chunks.map(address)), styles.files)
    for (const [campaign, file] of states) {
      const html = render(route, campaign)
      const content = {
        name: page,
        builtFor: 'all' as const,
        html,
        styles,
        starter: start,
        jsonLd: (route && jsonLd(route, campaign)) || '',
        campaign,
        ...this.#beside(html),
      }
      this.write(file, prerenderedDocument(template, this.manifest, content))
      this.pages += 1
    }
    return { styleHash: styles.hash, scriptHash: start.hash }
  }

  #refuseOnDemand(page: string, chunks: ManifestChunk[]): void {
    for (const { file } of chunks)
      for (const module of this.#modules.get(file) ?? [])
        if (ON_DEMAND.test(module)) throw new Error(`the first load of ${page} has ${module} (${file})`)
  }

  /** The plain HTML for a visitor without scripts. Plans cannot be chosen without. */
  #beside(html: string): Pick<Page, 'notice' | 'late'> {
    const { lateParts, plansNotice } = this.#server
    if (!html.includes('id="planos"')) return { notice: '', late: lateParts.prerendered() }
    return {
      notice: `<noscript><p class="needs-script">${plansNotice}</p></noscript>`,
      late: lateParts.withPlans(),
    }
  }
}
