/**
 * Writes every page of the route table, and the files about them: routes.json, sitemap.xml, robots.txt.
 *
 * Where a page, the sitemap or robots.txt contains the site's own address, it has ORIGIN of src/app/origin.ts. The
 * gateway puts the public address there. Every other file is served as it is: /assets/* never changes (immutable, a
 * year), the rest is no-cache.
 */
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as entryServer from '../../src/app/entry-server.tsx'
import type { Route } from '../../src/app/routes.ts'
import { type Page, prerenderedDocument, shellDocument } from './document.ts'
import { Manifest } from './manifest.ts'
import type { RouteRow, RouteTable } from './route-table.ts'
import { robots, sitemap } from './search-engines.ts'
import { type InlineStyles, inlineStyles } from './styles.ts'

type Server = typeof entryServer
type Campaign = Parameters<Server['render']>[1]

/** Vite's template has the name of the home page, and becomes the page of every screen without one of its own. */
const TEMPLATE = 'index.html'
const SHELL = 'app.html'
const NOT_FOUND = '404.html'
const STARTER = 'scripts/starter.js'

/** `server` is src/app/entry-server.tsx as built. Returns the number of prerendered pages. */
export async function writePages(dist: string, server: Server): Promise<number> {
  renameSync(join(dist, TEMPLATE), join(dist, SHELL))
  const site = new Site(dist, server)
  site.writeShell(SHELL, server.shell.title, null)
  const routes: RouteRow[] = []
  for (const route of server.routes) routes.push(...rowsOf(route, await site.writeRoute(route)))
  const styles = await site.prerender('/404', server.notFoundPage, null, [[null, NOT_FOUND]])
  const table: RouteTable = {
    release: site.manifest.release(),
    routes,
    notFound: { file: NOT_FOUND, styleHash: styles.hash },
  }
  const indexed = server.routes.filter(({ render }) => render === 'prerendered')
  site.write('routes.json', `${JSON.stringify(table, null, 2)}\n`)
  site.write('sitemap.xml', sitemap(indexed.map(({ path }) => server.absolute(path))))
  site.write('robots.txt', robots(server.absolute('/sitemap.xml')))
  return site.pages
}

type Files = Pick<RouteRow, 'file' | 'campaignFile' | 'styleHash'>

function rowsOf(route: Route, files: Files): RouteRow[] {
  return [route.path, ...route.aliases].map((path) => ({
    path,
    canonical: route.path,
    kind: route.render,
    file: files.file,
    campaignFile: files.campaignFile,
    csp: route.csp,
    styleHash: files.styleHash,
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
  readonly #starter: string

  constructor(dist: string, server: Server) {
    this.manifest = new Manifest(dist)
    this.#dist = dist
    this.#server = server
    this.#template = readFileSync(join(dist, SHELL), 'utf8')
    this.#starter = this.#writeStarter()
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#dist, file), text)
  }

  /** An empty page; one that is shared has a head of its own. */
  writeShell(file: string, title: string, route: Route | null): void {
    const { shell, lateParts } = this.#server
    const head = `<title class="late">${title}</title>${shell.head(route)}`
    this.write(file, shellDocument(this.#template, this.manifest, head, lateParts.shell()))
  }

  async writeRoute(route: Route): Promise<Files> {
    const { path, page, title, render, byCampaign } = route
    const file = `${nameOf(path)}.html`
    if (render === 'shell') {
      const isShared = this.#server.isShared(path)
      if (isShared) this.writeShell(file, title, route)
      return { file: isShared ? file : SHELL, campaignFile: null, styleHash: null }
    }
    const campaignFile = byCampaign ? `${nameOf(path)}.black-november.html` : null
    const states: [Campaign, string][] = campaignFile
      ? [
          ['none', file],
          ['black-november', campaignFile],
        ]
      : [[null, file]]
    const styles = await this.prerender(path, page, route, states)
    return { file, campaignFile, styleHash: styles.hash }
  }

  /** Writes a page in each state of the campaign, with one stylesheet for all, because a page has one policy. */
  async prerender(
    address: string,
    page: string,
    route: Route | null,
    states: readonly [Campaign, string][],
  ): Promise<InlineStyles> {
    const { render, jsonLd } = this.#server
    const source = `src/pages/${page}.tsx`
    const written = await Promise.all(
      states.map(async ([campaign, file]) => ({ campaign, file, html: await render(address, campaign) })),
    )
    const styles = inlineStyles(this.manifest, source, written.map(({ html }) => html).join(''))
    const scripts = this.manifest.closure(source).map(({ file }) => `/${file}`)
    for (const { campaign, file, html } of written) {
      const data = (route && jsonLd(route, campaign)) || ''
      const content = { name: page, html, styles, scripts, jsonLd: data, campaign, ...this.#beside(html) }
      this.write(file, prerenderedDocument(this.#template, this.manifest, this.#starter, content))
      this.pages += 1
    }
    return styles
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

  /** A file of its own, because the policy refuses scripts in the page. */
  #writeStarter(): string {
    const code = readFileSync(STARTER, 'utf8').replace(/^\/\*\*.*?\*\/\s*/s, '')
    const file = `assets/start-${createHash('sha256').update(code).digest('base64url').slice(0, 8)}.js`
    this.write(file, code)
    return file
  }
}
