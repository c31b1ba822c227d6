/** Precompresses what the gateway serves as it is; what names the site's own address it completes and packs itself. */
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

const BEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }

/** As small as brotli makes it. */
export const brotli = (bytes) => brotliCompressSync(bytes, BEST)

export function compress(directory, origin) {
  for (const path of files(directory)) {
    if (!TEXT.test(path) || FOR_THE_GATEWAY.test(path.slice(directory.length + 1))) continue
    const bytes = readFileSync(path)
    if (bytes.includes(origin)) continue
    writeFileSync(`${path}.br`, brotli(bytes))
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
