import type { Route } from '../../src/routes/routes.ts'

/**
 * dist/routes.json, which the gateway reads (gateway/src/site/table.rs). Files are names in dist/.
 */
export interface RouteTable {
  /** The main script, whose name changes with every script. Errors of pages report it. */
  release: string
  /** One row per address: aliases have their own. */
  routes: RouteRow[]
  /** Is returned with status 404 for every other page address. */
  notFound: { area: 'site'; file: string; styleHash: string; scriptHash: string }
}

export interface RouteRow extends Pick<Route, 'area' | 'csp'> {
  /** Exact address. The gateway also takes it with one trailing slash. */
  path: string
  /** The screen's first address: `path`, except for aliases. */
  canonical: string
  /** In dist/ as `file.br`: text is stored as brotli alone. */
  file: string
  /** Is served instead of `file` while Black November runs. */
  campaignFile: string | null
  /** Of the inlined CSS, `sha256-…`, for style-src; null without. */
  styleHash: string | null
  /** Of the inline script, for script-src. */
  scriptHash: string
  /** Whether to send `x-robots-tag: noindex`. */
  noindex: boolean
}
