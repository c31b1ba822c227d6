/**
 * crates.mjs PROGRAM FOLDER: reads the list of crates that cargo-auditable wrote into a program.
 * Writes THIRD-PARTY.md, the licences of these crates, and crates.cdx.json, the list in CycloneDX
 * with licences and hashes. Fails at a licence that is not allowed.
 *
 * Of the kept tools, cargo-about recognises licences by comparing texts, which takes minutes, and
 * auditable2cdx lists neither licences nor hashes. Crates name their licence and bring its text, so
 * that neither is needed.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inflateSync } from 'node:zlib'

/**
 * Licences that allow use in a product under MIT, and require no more than a copy of their text.
 */
const ALLOWED =
  '0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CDLA-Permissive-2.0 ISC MIT Unicode-3.0 Unlicense Zlib'.split(' ')
/** Crates without a file of their licence, and a crate of the same repository that has it. */
const SAME_AS = { 'alloc-stdlib': 'alloc-no-stdlib', 'tonic-prost': 'tonic' }
/**
 * A crate whose file is Apache-2.0's text and nothing else: crates that name this licence may bring
 * no file.
 */
const APACHE_TEXT = { crate: 'serde', file: 'LICENSE-APACHE' }
const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense)/i

const [program, folder] = process.argv.slice(2)
const { packages: parts } = JSON.parse(inflateSync(section(program, '.dep-v0')))
const crates = new Map(metadata().packages.map((crate) => [`${crate.name} ${crate.version}`, crate]))
const checksums = new Map(
  [...readFileSync('Cargo.lock', 'utf8').matchAll(/name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"/g)].map(
    ([, name, version, checksum]) => [`${name} ${version}`, checksum],
  ),
)
/** The crates of others in the program. Our own have no source in the list, and LICENSE is theirs. */
const theirs = parts.filter(({ kind, source }) => kind !== 'build' && source !== 'local').map(nameOf)
const refused = theirs.filter((name) => !isAllowed(crates.get(name).license))
if (refused.length > 0)
  throw new Error(`read these licences, then allow them: ${refused.map((name) => `${name} (${crates.get(name).license})`)}`)
writeFileSync(join(folder, 'THIRD-PARTY.md'), licences())
writeFileSync(join(folder, 'crates.cdx.json'), `${JSON.stringify(cycloneDx(), null, 1)}\n`)

function nameOf({ name, version }) {
  return `${name} ${version}`
}

/** Bytes of a section of an ELF file. */
function section(file, name) {
  const target = mkdtempSync(join(tmpdir(), 'garimpo-section-'))
  try {
    execFileSync('objcopy', ['--dump-section', `${name}=${join(target, 'section')}`, file, '/dev/null'])
    return readFileSync(join(target, 'section'))
  } finally {
    rmSync(target, { recursive: true })
  }
}

function metadata() {
  const options = ['metadata', '--format-version', '1', '--frozen', '--filter-platform', 'x86_64-unknown-linux-gnu']
  return JSON.parse(execFileSync('cargo', options, { maxBuffer: 100_000_000 }))
}

/**
 * Whether an SPDX expression can be met by allowed licences. AND binds stronger than OR; old crates
 * write OR as a slash.
 */
function isAllowed(expression) {
  const flat = expression.replaceAll('/', ' OR ').replaceAll(/\s+WITH\s+\S+/g, '-WITH')
  const innermost = /\(([^()]*)\)/
  const met = (terms) => terms.split(/\s+OR\s+/).some((term) => term.split(/\s+AND\s+/).every(isMet))
  const isMet = (name) => name.trim() === 'yes' || ALLOWED.includes(name.trim())
  let rest = flat
  while (innermost.test(rest)) rest = rest.replace(innermost, (_, terms) => (met(terms) ? 'yes' : 'no'))
  return met(rest)
}

/** Each text once, under the names of its crates. */
function licences() {
  const byText = new Map()
  for (const name of theirs)
    for (const text of textsOf(crates.get(name))) byText.set(text, [...(byText.get(text) ?? []), name])
  const sections = [...byText].map(([text, names]) => `${names.map((name) => `- ${name}`).join('\n')}\n\n\`\`\`\n${text}\n\`\`\`\n`)
  const title = '# Software by others in Garimpo\n\nThe program contains these crates under these licences.'
  return [title, 'The site inside lists its own packages in `/third-party.txt`.\n', ...sections].join('\n')
}

/**
 * The texts of a crate's licence: MIT alone where it is enough and has a file, or else all files.
 */
function textsOf({ name, version, license, manifest_path, authors }) {
  const files = filesOf(dirname(manifest_path)).filter((file) => LICENCE_FILE.test(file))
  const canBeMit = license.replaceAll('/', ' OR ').split(' OR ').includes('MIT')
  const mit = files.filter((file) => canBeMit && /mit/i.test(file))
  const chosen = (mit.length > 0 ? mit : files).map((file) => readFileSync(join(dirname(manifest_path), file), 'utf8').trim())
  if (chosen.length > 0) return chosen
  if (SAME_AS[name]) return textsOf([...crates.values()].find((crate) => crate.name === SAME_AS[name]))
  if (license === 'Apache-2.0') return [apacheText()]
  if (!canBeMit) throw new Error(`${name} ${version} has no file of its licence ${license}`)
  return [mitText(authors.length > 0 ? authors.join(', ') : `the authors of ${name}`)]
}

function apacheText() {
  const { manifest_path } = [...crates.values()].find((crate) => crate.name === APACHE_TEXT.crate)
  return readFileSync(join(dirname(manifest_path), APACHE_TEXT.file), 'utf8').trim()
}

/** Names of files in a crate's folder, and of those in its folder of licences. */
function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [entry.name]
    if (!/^licen[cs]es?$/i.test(entry.name)) return []
    return filesOf(join(folder, entry.name)).map((file) => join(entry.name, file))
  })
}

function cycloneDx() {
  const ref = ({ name, version }) => `pkg:cargo/${name}@${version}`
  const component = (part) => ({
    type: 'library',
    'bom-ref': ref(part),
    name: part.name,
    version: part.version,
    scope: part.kind === 'build' ? 'excluded' : 'required',
    hashes: [{ alg: 'SHA-256', content: checksums.get(nameOf(part)) }],
    licenses: [{ expression: crates.get(nameOf(part)).license.replaceAll(/\s*\/\s*/g, ' OR ') }],
    purl: ref(part),
  })
  const root = parts.find(({ root }) => root)
  const licenses = [{ expression: crates.get(nameOf(root)).license }]
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': ref(root), name: root.name, version: root.version, licenses } },
    components: parts.filter(({ source }) => source !== 'local').map(component),
    dependencies: parts.map((part) => ({
      ref: ref(part),
      dependsOn: (part.dependencies ?? []).map((index) => ref(parts[index])),
    })),
  }
}

/** The standard text, for crates that name MIT and bring no file. */
function mitText(holders) {
  return `MIT License

Copyright (c) ${holders}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
}
