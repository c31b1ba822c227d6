/** Precompresses what the gateway serves as it is; what names the site's own address it completes and packs itself. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const TEXT = /\.(html|js|css|svg|txt|json|xml|webmanifest)$/

/**
 * Every file below a folder.
 * @param {string} directory
 */
export function files(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

const BEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

/**
 * As small as brotli makes it.
 * @param {Buffer} bytes
 */
export const brotli = (bytes) => brotliCompressSync(bytes, BEST)

/**
 * @param {string} directory
 * @param {string} origin what a file contains that names the site's own address
 */
export function compress(directory, origin) {
  for (const path of files(directory)) {
    // The gateway reads its route table, and serves it to nobody.
    if (!TEXT.test(path) || path === join(directory, 'routes.json')) continue
    const bytes = readFileSync(path)
    if (bytes.includes(origin)) continue
    writeFileSync(`${path}.br`, brotli(bytes))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
