import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotli, files } from '../../scripts/files.mjs'

const TEXT = /\.(html|js|css|svg|txt|json|xml|webmanifest)$/

/** Stores text as brotli alone: the gateway unpacks it for a caller that does not take brotli. */
export function compressFiles(directory: string): void {
  for (const path of files(directory)) {
    // The gateway reads its route table, but does not serve it.
    if (!TEXT.test(path) || path === join(directory, 'routes.json')) continue
    writeFileSync(`${path}.br`, brotli(readFileSync(path)))
    rmSync(path)
  }
}
