/**
 * The house's rules that no linter knows: dependency direction, no barrels, and the one place
 * that each of these has: localStorage, RPC code, colours, breakpoints.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { files } from './compress.mjs'

const LAYERS = { app: 4, pages: 3, features: 2, ui: 1, lib: 0, api: 0, texts: 0, gen: 0, styles: 0 }
const BREAKPOINTS = ['359.98px', '768px', '767.98px', '1100px']
const problems = []
const stylesheets = new Set()

for (const path of files('src')) {
  const file = relative('src', path)
  const [layer, feature] = file.split('/')
  if (layer === 'gen') continue
  const text = readFileSync(path, 'utf8')
  const complain = (what) => problems.push(`src/${file}: ${what}`)

  if (/(^|\/)index\.tsx?$/.test(file)) complain('no barrels: name the file by what it holds')
  if (/\.css$/.test(file)) {
    // While one works at it class names carry the file's name (vite/short-class.ts).
    if (stylesheets.has(basename(file))) complain('another stylesheet has this name')
    stylesheets.add(basename(file))
    if (file !== 'styles/tokens.css' && /#[0-9a-f]{3,8}\b/i.test(text))
      complain('colours live in styles/tokens.css')
    for (const [, width] of text.matchAll(/@(?:media|container)[^{]*width[^{]*?([\d.]+px)/g))
      if (!BREAKPOINTS.includes(width)) complain(`${width} is no breakpoint of styles/tokens.css`)
    continue
  }
  if (/\.test\.ts$/.test(file)) continue
  if (
    /\blocalStorage\b/.test(text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')) &&
    file !== 'lib/browser-storage.ts'
  )
    complain('only lib/browser-storage.ts touches localStorage')
  if (text.split('\n').length > 400) complain('over 400 lines')

  for (const [, typeOnly, from] of text.matchAll(/^import (type )?[^'"]*['"]([^'"]+)['"]/gm)) {
    if (from.startsWith('@connectrpc/') && layer !== 'api') complain('RPC code lives in api/')
    if (from.startsWith('wouter') && file !== 'lib/location.ts')
      complain('the address is read and changed by lib/location.ts')
    if (!from.startsWith('.')) continue
    const target = relative('src', join('src', dirname(file), from))
    const [targetLayer, targetFeature] = target.split('/')
    if ((LAYERS[targetLayer] ?? 9) > (LAYERS[layer] ?? 9)) complain(`${layer} may not import ${target}`)
    if (layer === 'features' && targetLayer === 'features' && feature !== targetFeature)
      complain(`features do not import each other: ${target}`)
    if (/^api\/(clients|transport|error-reason)$/.test(target) && layer !== 'api' && !typeOnly)
      complain('RPC code loads on demand: use call() of api/call.ts')
  }
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
