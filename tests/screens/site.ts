/** The files of the built site, as the gateway serves them, without its headers. */
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

const dist = fileURLToPath(new URL('../../web/dist/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

interface RouteTable {
  routes: { path: string; file: string }[]
  notFound: { file: string }
}
if (!existsSync(join(dist, 'routes.json'))) throw new Error('web/dist is missing: run `make web`')
const table: RouteTable = JSON.parse(readFileSync(join(dist, 'routes.json'), 'utf8'))
const files = new Map(table.routes.map(({ path, file }) => [path, file]))
// Chromium with windows requests it. The gateway redirects it to this icon.
files.set('/favicon.ico', 'icon-192.png')
const read = new Map<string, Uint8Array<ArrayBuffer> | null>()

/** What the site has at a path: the page of a route, a file, or the not-found page. */
export function siteResponse(path: string): Response {
  const name = files.get(path) ?? path.slice(1)
  const content = contentOf(name)
  const shown = content ? name : table.notFound.file
  return new Response(content ?? contentOf(shown), {
    status: content ? 200 : 404,
    headers: { 'content-type': TYPES[extname(shown)] ?? 'application/octet-stream' },
  })
}

/** The build keeps the smaller of a file and its brotli form. */
function contentOf(name: string): Uint8Array<ArrayBuffer> | null {
  const known = read.get(name)
  if (known !== undefined) return known
  const path = join(dist, name)
  const isPacked = existsSync(`${path}.br`)
  const content = isPacked
    ? new Uint8Array(brotliDecompressSync(readFileSync(`${path}.br`)))
    : existsSync(path)
      ? new Uint8Array(readFileSync(path))
      : null
  read.set(name, content)
  return content
}
