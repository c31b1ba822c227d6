/**
 * Rules of the structure that no linter knows: dependency direction, no barrels, and one place
 * for each of: localStorage, RPC code, colours and their palette, breakpoints.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { files } from './files.mjs'

/** From the bottom up: a folder imports from its own level only inside itself. */
const LEVELS = [
  ['gen', 'styles'],
  ['lib'],
  ['catalog'],
  ['api'],
  ['texts'],
  ['routes'],
  ['attribution', 'forms', 'session'],
  ['purchase'],
  ['ui'],
  ['parts'],
  ['features'],
  ['frame'],
  ['app', 'site', 'gallery'],
]
/** @param {string} folder */
const levelOf = (folder) => LEVELS.findIndex((folders) => folders.includes(folder))
const BREAKPOINTS = ['359.98px', '768px', '767.98px', '1100px']
/** The colours that only drawings name (styles/tokens.css); the stones stand anywhere. */
const PALETTE = [...readFileSync('src/styles/tokens.css', 'utf8').matchAll(/--([a-z-]+): #/g)]
  .map(([, name = '']) => name)
  .filter((name) => !name.startsWith('seixo'))
const PALETTE_USE = new RegExp(`var\\(--(${PALETTE.join('|')})\\)`, 'g')
/** @type {string[]} */
const problems = []
const stylesheets = new Set()

for (const path of files('src')) {
  const file = relative('src', path)
  const [folder = '', feature] = file.split('/')
  if (folder === 'gen' || !file.includes('/')) continue
  const text = readFileSync(path, 'utf8')
  /** @param {string} what */
  const complain = (what) => problems.push(`src/${file}: ${what}`)

  if (/(^|\/)index\.tsx?$/.test(file)) complain('no barrels: name the file by what it holds')
  if (/\.css$/.test(file)) {
    // While one works at it class names carry the file's name (vite/short-class.ts).
    if (stylesheets.has(basename(file))) complain('another stylesheet has this name')
    stylesheets.add(basename(file))
    if (file !== 'styles/tokens.css' && /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i.test(text))
      complain('colours live in styles/tokens.css')
    if (file !== 'styles/tokens.css' && !file.endsWith('-art.module.css'))
      for (const [use] of text.matchAll(PALETTE_USE))
        complain(`${use} is for drawings: name the intent (styles/tokens.css)`)
    for (const [, width] of text.matchAll(/@(?:media|container)[^{]*width[^{]*?([\d.]+px)/g))
      if (!BREAKPOINTS.includes(width ?? '')) complain(`${width} is no breakpoint of styles/tokens.css`)
    continue
  }
  if (/\.test\.ts$/.test(file)) continue
  for (const [use] of text.replaceAll(/\b(?:fill|stroke|stopColor)="[^"]+"/g, '').matchAll(PALETTE_USE))
    complain(`${use} is for the fill and the stroke of a drawing`)
  if (
    /\blocalStorage\b/.test(text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')) &&
    file !== 'lib/browser-storage.ts'
  )
    complain('only lib/browser-storage.ts touches localStorage')

  const imports = text.matchAll(
    /^(?:import (type )?[^'"]*|export [^'"]*?from )['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm,
  )
  for (const [, typeOnly, ahead, onDemand] of imports) {
    const from = ahead ?? onDemand ?? ''
    if (
      /^@(bufbuild|connectrpc)\//.test(from) &&
      !typeOnly &&
      !['api', 'app', 'parts', 'features', 'gallery'].includes(folder)
    )
      complain('RPC code lives in api/, and queries in the features of the app')
    if (from.startsWith('react-router') && !['app', 'features'].includes(folder))
      complain('only the app has a router')
    if (!from.startsWith('.')) continue
    const target = relative('src', join('src', dirname(file), from))
    const [targetFolder = '', targetFeature] = target.split('/')
    if (targetFolder !== folder && targetFolder !== '..' && levelOf(targetFolder) >= levelOf(folder))
      complain(`${folder} may not import ${target}`)
    if (folder === 'catalog' && target.startsWith('gen/garimpo') && !typeOnly)
      complain('each page of the site would load the runtime of the protos: import the type alone')
    if (folder === 'features' && targetFolder === 'features' && feature !== targetFeature)
      complain(`features do not import each other: ${target}`)
    if (/^api\/(clients|error-reason)$/.test(target) && folder !== 'api' && !typeOnly && !onDemand)
      complain('RPC code loads on demand: use call() of api/call.ts')
  }
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
