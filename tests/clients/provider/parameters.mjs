/**
 * Writes sandbox/src/provider/parameters.json: every parameter that the provider's SDK declares for a call that the
 * sandbox serves. With `--check` it fails if that file is stale. Run it after an update of the package `stripe`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { API } from 'typescript/unstable/sync'

const root = resolve(import.meta.dirname, '../../..')
const file = join(root, 'sandbox/src/provider/parameters.json')
const resources = join(root, 'tests/node_modules/stripe/cjs/resources')

/** `POST customers/*` of every arm of the sandbox's table of calls. */
function servedCalls() {
  const table = readFileSync(join(root, 'sandbox/src/provider/table.rs'), 'utf8')
  const methods = new Map([
    ['read', 'GET'],
    ['write', 'POST'],
    ['delete', 'DELETE'],
  ])
  return table.split(/async fn /).flatMap((part) => {
    const method = methods.get(part.match(/^\w+/)?.[0] ?? '')
    const paths = method ? [...part.matchAll(/\[((?:"\w+"|id)(?:, (?:"\w+"|id))*)\](?= =>| \|)/g)] : []
    return paths.map(
      ([, path = '']) =>
        `${method} ${path
          .replaceAll(/\bid\b/g, '*')
          .replaceAll(/[" ]/g, '')
          .replaceAll(',', '/')}`,
    )
  })
}

/** Where the SDK declares the parameters of each of its calls: file and offset of the argument. */
function declaredCalls() {
  const found = new Map()
  const files = readdirSync(resources, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.js') && !name.startsWith('V2'),
  )
  for (const name of files) {
    const source = readFileSync(join(resources, name), 'utf8')
    const typings = join(resources, name.replace(/js$/, 'd.ts'))
    const declared = readFileSync(typings, 'utf8')
    const calls = source.matchAll(
      /\n {4}(\w+)\([^)]*\) \{\s+return this\._makeRequest\('(\w+)', [`']\/v1\/([^`']+)[`']/g,
    )
    for (const [, method, verb, path = ''] of calls) {
      const signatures = [...declared.matchAll(new RegExp(`\\n {4}${method}\\([^)]*?params\\??:`, 'g'))]
      const call = `${verb} ${path.replaceAll(/\$\{[^}]*\}/g, '*')}`
      const last = signatures.at(-1)
      found.set(call, last && { file: typings, at: last.index + last[0].lastIndexOf('params') })
    }
  }
  return found
}

/**
 * The values of a type that is a list of texts. The SDK adds `string & {}` to each, for values of
 * later versions.
 *
 * @param {readonly import('typescript/unstable/sync').Type[]} parts
 * @returns {string[] | undefined}
 */
function valuesOf(parts) {
  const texts = parts.filter((part) => part.isStringLiteralType())
  const others = parts.filter(
    (part) =>
      !part.isStringLiteralType() &&
      !part.isIntersectionType() &&
      !(part.isIntrinsicType() && ['undefined', 'null'].includes(part.intrinsicName)),
  )
  const values = texts.map((text) => text.value).filter((value) => value !== '')
  return values.length > 0 && others.length === 0 ? values.sort() : undefined
}

/**
 * Parameters below a type: `1` for a value, `["a", "b"]` for one of these values, `{"*": 1}` for
 * names of the caller's choice.
 *
 * @param {import('typescript/unstable/sync').Checker} checker
 * @param {import('typescript/unstable/sync').Type | undefined} type
 * @param {unknown[]} above
 * @returns {1 | string[] | Record<string, unknown>}
 */
function treeOf(checker, type, above = []) {
  if (!type) return 1
  if (type.isUnionType()) {
    const values = valuesOf(type.getTypes())
    if (values) return values
    const trees = type
      .getTypes()
      .map((part) => treeOf(checker, part, above))
      .filter((tree) => tree !== 1 && !Array.isArray(tree))
    return trees.length > 0 ? Object.assign({}, ...trees) : 1
  }
  if (checker.isArrayType(type) && type.isTypeReference()) {
    return treeOf(checker, checker.getTypeArguments(type)[0], above)
  }
  if (!type.isObjectType() || above.includes(type.id)) return 1
  if (checker.getIndexInfosOfType(type).length > 0) return { '*': 1 }
  const fields = checker.getPropertiesOfType(type)
  // An exact number of the SDK's own, and text outside of a list of values, which is `string & {}`.
  if (fields.length === 0 || fields.some((field) => field.name === '_coefficient')) return 1
  const types = checker.getTypeOfSymbol(fields)
  const order = fields.map((field, at) => ({ name: field.name, type: types[at] }))
  order.sort((a, b) => (a.name < b.name ? -1 : 1))
  return Object.fromEntries(
    order.map((field) => [field.name, treeOf(checker, field.type, [...above, type.id])]),
  )
}

/**
 * @param {import('typescript/unstable/sync').Checker} checker
 * @param {{ file: string, at: number }} where
 */
function typeAt(checker, where) {
  const symbol = checker.getSymbolAtPosition(where.file, where.at)
  return symbol && checker.getTypeOfSymbol(symbol)
}

const folder = mkdtempSync(join(tmpdir(), 'garimpo-parameters-'))
const config = join(folder, 'tsconfig.json')
const entry = join(root, 'tests/node_modules/stripe/cjs/stripe.cjs.node.d.ts')
writeFileSync(
  config,
  JSON.stringify({ compilerOptions: { strict: true, skipLibCheck: true, types: [] }, files: [entry] }),
)
const api = new API()
try {
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (!project) throw new Error('the compiler opened no project')
  const { checker } = project
  const declared = declaredCalls()
  const all = [...new Set(servedCalls())].sort().map((call) => {
    if (!declared.has(call)) throw new Error(`the SDK has no call ${call}`)
    const where = declared.get(call)
    const tree = where ? treeOf(checker, typeAt(checker, where)) : {}
    return `${JSON.stringify(call)}: ${JSON.stringify(tree === 1 ? {} : tree)}`
  })
  const text = `{\n${all.join(',\n')}\n}\n`
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(
      'sandbox/src/provider/parameters.json is stale: run node tests/clients/provider/parameters.mjs',
    )
    process.exitCode = 1
  }
} finally {
  api.close()
  rmSync(folder, { recursive: true })
}
