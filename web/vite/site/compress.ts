import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { brotli, files } from '../../scripts/files.mjs'

const TEXT = /\.(html|js|css|svg|txt|json|xml|webmanifest)$/

/**
 * Compresses the files that the gateway serves unchanged. It completes and compresses those that contain `origin`, the
 * placeholder for the site's own address.
 */
export function compressFiles(directory: string, origin: string): void {
  for (const path of files(directory)) {
    // The gateway reads its route table, but does not serve it.
    if (!TEXT.test(path) || path === join(directory, 'routes.json')) continue
    const bytes = readFileSync(path)
    if (bytes.includes(origin)) continue
    writeFileSync(`${path}.br`, brotli(bytes))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
