/**
 * Writes every page of the route table, and the files about them: routes.json, sitemap.xml, robots.txt.
 *
 * Where a page, the sitemap or robots.txt contains the site's own address, it has ORIGIN of src/site/origin.ts. The
 * gateway puts the public address there. Every other file is served as it is: /assets/* never changes (immutable, a
 * year), the rest is no-cache.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '../../src/routes/routes.ts'
import type * as entryServer from '../../src/site/entry-server.tsx'
import { type Page, prerenderedDocument, scriptsOf, shellDocument } from './document.ts'
import type { Inline } from './inline.ts'
import { Manifest } from './manifest.ts'
import type { RouteRow, RouteTable } from './route-table.ts'
import { robots, sitemap } from './search-engines.ts'
import { oldBrowserTest, starter } from './starter.ts'
import { inlineStyles } from './styles.ts'

type Server = typeof entryServer
type Campaign = Parameters<Server['render']>[1]

/** Vite's template has the name of the home page, and becomes the page of every screen without one of its own. */
const TEMPLATE = 'index.html'
const SHELL = 'app.html'
const NOT_FOUND = '404.html'

/** `server` is src/site/entry-server.tsx as built. Returns the number of prerendered pages. */
export async function writePages(dist: string, server: Server): Promise<number> {
  renameSync(join(dist, TEMPLATE), join(dist, SHELL))
  const site = new Site(dist, server, oldBrowserTest())
  site.writeShell(SHELL, server.shell.title, null)
  const routes: RouteRow[] = []
  for (const route of server.routes) routes.push(...rowsOf(route, await site.writeRoute(route)))
  const hashes = await site.prerender('/404', server.notFoundPage, null, [[null, NOT_FOUND]])
  const table: RouteTable = {
    release: site.manifest.release(),
    routes,
    notFound: { file: NOT_FOUND, ...hashes },
  }
  const indexed = server.routes.filter(({ render }) => render === 'prerendered')
  site.write('routes.json', `${JSON.stringify(table, null, 2)}\n`)
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
    kind: route.render,
    file: files.file,
    campaignFile: files.campaignFile,
    csp: route.csp,
    styleHash: files.styleHash,
    scriptHash: files.scriptHash,
    noindex: route.render !== 'prerendered',
  }))
}

/** `/` is index, `/a/b` would be a.b: one flat folder. */
const nameOf = (path: string) => (path === '/' ? 'index' : path.slice(1).replaceAll('/', '.'))

class Site {
  readonly manifest: Manifest
  pages = 0
  readonly #dist: string
  readonly #server: Server
  readonly #template: string
  readonly #oldBrowserTest: Inline

  constructor(dist: string, server: Server, test: Inline) {
    this.manifest = new Manifest(dist)
    this.#dist = dist
    this.#server = server
    // Line breaks and indentation cost 30 bytes of each page, packed.
    this.#template = readFileSync(join(dist, SHELL), 'utf8')
      .replaceAll(/\n\s*/g, '')
      .replace('<!--old-browser-->', server.oldBrowserNotice)
    this.#oldBrowserTest = test
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#dist, file), text)
  }

  /** An empty page; one that is shared has a head of its own. */
  writeShell(file: string, title: string, route: Route | null): void {
    const { shell, lateParts } = this.#server
    const head = `<title class="late">${title}</title>${shell.head(route)}${this.#oldBrowserTest.tag}`
    this.write(file, shellDocument(this.#template, this.manifest, head, lateParts.shell()))
  }

  async writeRoute(route: Route): Promise<Files> {
    const { path, page, title, render, byCampaign } = route
    const file = `${nameOf(path)}.html`
    if (render === 'shell') {
      const isShared = this.#server.isShared(path)
      if (isShared) this.writeShell(file, title, route)
      return {
        file: isShared ? file : SHELL,
        campaignFile: null,
        styleHash: null,
        scriptHash: this.#oldBrowserTest.hash,
      }
    }
    const campaignFile = byCampaign ? `${nameOf(path)}.black-november.html` : null
    const states: [Campaign, string][] = campaignFile
      ? [
          ['none', file],
          ['black-november', campaignFile],
        ]
      : [[null, file]]
    return { file, campaignFile, ...(await this.prerender(path, page, route, states)) }
  }

  /**
   * Writes a page in each state of the campaign, with the same styles and starter, because a page
   * has one policy.
   */
  async prerender(
    address: string,
    page: string,
    route: Route | null,
    states: readonly [Campaign, string][],
  ): Promise<Hashes> {
    const { render, jsonLd } = this.#server
    const source = `src/site/pages/${page}.tsx`
    const written = await Promise.all(
      states.map(async ([campaign, file]) => ({ campaign, file, html: await render(address, campaign) })),
    )
    const styles = inlineStyles(this.manifest, source, written.map(({ html }) => html).join(''))
    const own = this.manifest.closure(source).map(({ file }) => `/${file}`)
    const start = starter(scriptsOf(this.#template, own), styles.files)
    for (const { campaign, file, html } of written) {
      const data = (route && jsonLd(route, campaign)) || ''
      const content = {
        name: page,
        html,
        styles,
        starter: start,
        jsonLd: data,
        campaign,
        ...this.#beside(html),
      }
      this.write(file, prerenderedDocument(this.#template, this.manifest, content))
      this.pages += 1
    }
    return { styleHash: styles.hash, scriptHash: start.hash }
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
