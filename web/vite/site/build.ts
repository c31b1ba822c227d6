import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ViteBuilder } from 'vite'
import { brotli, files } from '../../scripts/files.mjs'
import { writePages } from './pages.ts'
import { writeThirdParty } from './third-party.ts'

/**
 * Where Vite lists the packages of the site, in dist/; see environments.client in vite.config.ts.
 */
export const LICENCES = '.vite/licences.json'

/**
 * Builds the site into dist/: scripts and styles, the code that renders the pages, the pages, and
 * compresses them.
 */
export async function buildSite(builder: ViteBuilder): Promise<void> {
  const { client, ssr } = builder.environments
  if (!client || !ssr) throw new Error('vite.config.ts has no environments client and ssr')
  const started = performance.now()
  const built = await builder.build(client)
  await builder.build(ssr)
  const [dist, distSsr] = [client.config.build.outDir, ssr.config.build.outDir].map((path) => resolve(path))
  const server = await import(pathToFileURL(resolve(String(distSsr), 'entry-server.js')).href)
  const pages = writePages(String(dist), server, modulesOf(built))
  writeThirdParty(resolve(String(dist), LICENCES), resolve(String(dist), 'third-party.txt'))
  rmSync(resolve(String(dist), '.vite'), { recursive: true })
  rmSync(String(distSsr), { recursive: true })
  compressFiles(String(dist))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`built ${pages} pages in ${seconds} s\n`)
}

/** The source modules in each built script. */
function modulesOf(built: Awaited<ReturnType<ViteBuilder['build']>>): Map<string, string[]> {
  if (!('output' in built)) throw new Error('the build has more than one output')
  return new Map(
    built.output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.moduleIds]] : [])),
  )
}

const TEXT = /\.(html|js|css|svg|txt|json|xml|webmanifest)$/

/** Stores text as brotli alone: the gateway unpacks it for a caller that does not take brotli. */
function compressFiles(directory: string): void {
  for (const path of files(directory)) {
    // The gateway reads its route table, but does not serve it.
    if (!TEXT.test(path) || path === join(directory, 'routes.json')) continue
    writeFileSync(`${path}.br`, brotli(readFileSync(path)))
    rmSync(path)
  }
}
