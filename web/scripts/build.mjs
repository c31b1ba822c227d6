/** Builds the site into dist/: browser bundle, prerendered pages, and the files that the gateway reads. */
import { rmSync } from 'node:fs'
import { build } from 'vite'
import { compress } from './compress.mjs'
import { prerenderSite } from './prerender.mjs'

const started = performance.now()
rmSync('dist', { recursive: true, force: true })
rmSync('dist-ssr', { recursive: true, force: true })
await build({ logLevel: 'warn' })
await build({
  logLevel: 'warn',
  build: { ssr: 'src/app/entry-server.tsx', outDir: 'dist-ssr', manifest: false, copyPublicDir: false },
})
const { pages, origin } = await prerenderSite()
rmSync('dist/.vite', { recursive: true })
rmSync('dist-ssr', { recursive: true })
compress('dist', origin)
console.log(`built ${pages} pages in ${((performance.now() - started) / 1000).toFixed(1)} s`)
