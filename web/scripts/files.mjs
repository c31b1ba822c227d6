import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

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
