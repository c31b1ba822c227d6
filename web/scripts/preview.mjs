/**
 * Serves dist/ as the gateway does, for looking at pages without it: `npm run preview [-- --black-november]`.
 * It knows no calls: forms and the session fail as they do without a connection.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.jpg': 'image/jpeg',
  '.txt': 'text/plain; charset=utf-8',
}
const blackNovember = process.argv.includes('--black-november')
const port = Number(process.env.PORT ?? 20_174)
const json = (file) => JSON.parse(readFileSync(join('dist', file), 'utf8'))

function csp(styleHash) {
  const styles = styleHash ? `'self' '${styleHash}'` : "'self'"
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; manifest-src 'self'; require-trusted-types-for 'script'`
}

createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://preview')
  if (pathname === '/config.json') {
    const now = new Date().toISOString()
    response.setHeader('content-type', TYPES['.json'])
    return response.end(JSON.stringify({ blackNovember, serverTime: now, pixelIds: [] }))
  }
  const { routes, notFound } = json('routes.json')
  const row = routes.find(({ path }) => path === (pathname.replace(/\/$/, '') || '/'))
  const asset = normalize(pathname).slice(1)
  const isFile = /\.\w+$/.test(asset) && existsSync(join('dist', asset))
  const file = isFile ? asset : row ? (blackNovember && row.campaignFile) || row.file : notFound.file
  response.statusCode = isFile || row ? 200 : 404
  response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
  response.setHeader('content-security-policy', csp((row ?? notFound).styleHash))
  const brotli = join('dist', `${file}.br`)
  if (existsSync(brotli)) {
    response.setHeader('content-encoding', 'br')
    return response.end(readFileSync(brotli))
  }
  response.end(readFileSync(join('dist', file)))
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`))
