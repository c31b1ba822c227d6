import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin, Rollup } from 'vite'

/**
 * One stylesheet for everything that is prerendered: the build inlines it, so one sha256 in style-src covers
 * every page, and the first paint waits for no second request. The styles of the account and payment screens
 * stay with their scripts and come with them.
 */
export const siteStylesheet: Plugin = {
  name: 'site-stylesheet',
  apply: 'build',
  generateBundle: {
    // Before Vite writes into the scripts which styles each of them needs.
    order: 'pre',
    handler(_, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      const entry = chunks.find(({ isEntry }) => isEntry)
      if (!entry || this.environment.name !== 'client') return
      const css = reachable(entry, bundle)
        .flatMap(({ viteMetadata }) => {
          const files = [...(viteMetadata?.importedCss ?? [])]
          viteMetadata?.importedCss.clear()
          return files
        })
        .map((file) => {
          const asset = bundle[file]
          delete bundle[file]
          return asset?.type === 'asset' ? String(asset.source) : ''
        })
        .join('')
      const hash = createHash('sha256').update(css).digest('base64url').slice(0, 8)
      const fileName = `assets/site-${hash}.css`
      this.emitFile({ type: 'asset', fileName, source: css })
      entry.viteMetadata?.importedCss.add(fileName)
    },
  },
}

/** What the frame and the prerendered pages load, now or later; the entry first, in the order of their names. */
function reachable(entry: Rollup.OutputChunk, bundle: Rollup.OutputBundle): Rollup.OutputChunk[] {
  const found = new Set<Rollup.OutputChunk>()
  const visit = (fileName: string) => {
    const chunk = bundle[fileName]
    if (chunk?.type !== 'chunk' || found.has(chunk) || isShellPage(chunk)) return
    found.add(chunk)
    const next = [...chunk.imports, ...chunk.dynamicImports]
    for (const name of next.toSorted()) visit(name)
  }
  visit(entry.fileName)
  return [...found]
}

/** The pages of the route table that are rendered in the browser alone. */
const shellPages = new Set(
  [...readFileSync('src/app/routes.ts', 'utf8').matchAll(/\bshell\(paths\.\w+, '([\w-]+)'/g)].map(
    ([, page]) => page,
  ),
)

function isShellPage({ facadeModuleId, name }: Rollup.OutputChunk): boolean {
  // What comes after every page, when it answers, brings its own too.
  if (name === 'visit') return true
  const page = facadeModuleId?.match(/src\/pages\/([\w-]+)\.tsx$/)?.[1]
  return page !== undefined && shellPages.has(page)
}
