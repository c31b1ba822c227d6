/** Precompresses what the gateway serves: HTML is never rewritten, so bytes and ETags hold. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const TEXT = /\.(html|js|css|svg|txt|json|xml|webmanifest)$/
/** What only the gateway reads is not served. */
const FOR_THE_GATEWAY = /^(routes|csp)\.json$/

export function files(directory) {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name)
    return statSync(path).isDirectory() ? files(path) : [path]
  })
}

export function compress(directory) {
  for (const path of files(directory)) {
    if (!TEXT.test(path) || FOR_THE_GATEWAY.test(path.slice(directory.length + 1))) continue
    const bytes = readFileSync(path)
    const best = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, best))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
