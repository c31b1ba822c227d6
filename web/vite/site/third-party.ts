/**
 * Writes dist/third-party.txt: the packages that are in the built site, with their licences, which
 * ask that every copy carries their text. The build fails at a licence that is not on the list,
 * because then somebody must read it.
 */
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Licences that allow use in a product under MIT, and require no more than a copy of their text.
 */
const ALLOWED = new Set(['0BSD', 'Apache-2.0', 'BSD-3-Clause', 'ISC', 'MIT', 'OFL-1.1', 'Unlicense'])
/** Those that ask for nothing. */
const FREE = new Set(['0BSD', 'Unlicense'])
/** Vite lists what scripts import. The font comes from stylesheets. */
const FONTS = ['@fontsource-variable/figtree']
/** The text of packages under Apache-2.0 that bring none. */
const APACHE = readFileSync('scripts/apache-2.0.txt', 'utf8').trim()
/** The text of BSD-3-Clause heads this file of the package alone. */
const BSD_OF_PROTOBUF = readFileSync('node_modules/@bufbuild/protobuf/dist/esm/wire/varint.js', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('//'))
  .map((line) => line.slice(3))
  .join('\n')

interface Package {
  name: string
  version: string
  identifier?: string
  text?: string
}

/** Writes the texts of the packages that Vite listed (build.license), and of the font. */
export function writeThirdParty(list: string, target: string): void {
  const bundled: Package[] = JSON.parse(readFileSync(list, 'utf8'))
  const packages = [...bundled, ...FONTS.map(ofFolder)].sort((a, b) => (a.name < b.name ? -1 : 1))
  const title = 'Software by others in this site, with its licences.'
  const text = [title, ...packages.map(section)].join(`\n\n${'-'.repeat(80)}\n\n`)
  writeFileSync(target, `${text}\n`)
}

function section({ name, version, identifier = '', text }: Package): string {
  const licences = identifier.replaceAll(/[()]/g, '').split(' AND ')
  const texts = [
    text,
    !text && licences.includes('Apache-2.0') && APACHE,
    name === '@bufbuild/protobuf' && BSD_OF_PROTOBUF,
  ]
  const found = texts.filter(Boolean)
  const isComplete = found.length > 0 || licences.every((licence) => FREE.has(licence))
  if (!isComplete || !licences.every((licence) => ALLOWED.has(licence)))
    throw new Error(
      `${name} has the licence ${identifier}: read it, then list it in vite/site/third-party.ts`,
    )
  return [`${name} ${version} (${licences.join(' and ')})`, ...found].join('\n\n')
}

function ofFolder(name: string): Package {
  const folder = `node_modules/${name}`
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  return { name, version, identifier: license, text: readFileSync(`${folder}/LICENSE`, 'utf8').trim() }
}
