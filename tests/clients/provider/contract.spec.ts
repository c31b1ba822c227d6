/**
 * Checks the sandbox's responses against the SDK's types, and the adapter's calls against the
 * recorded calls of the SDK.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'

import { type Recorded, readRecord, results } from './record'

const root = join(results, '../../../..')

/** A call that the adapter makes. */
interface Call {
  method: string
  path: RegExp
  shown: string
}

/** `line_items[0][price]` is `line_items[price]`, and the keys of metadata are the caller's own. */
const normalizeName = (name: string) => name.replaceAll(/\[\d*\]/g, '').replace(/(\[?metadata\]?)\[.*$/, '$1')

/** The same for `name=value`. */
function normalizeValue(pair: string) {
  const at = pair.indexOf('=')
  return `${normalizeName(pair.slice(0, at))}${pair.slice(at)}`
}

/** A path as the adapter writes it, `&["customers", id]`. */
const PATH = /&\[("[a-z_]+"(?:,\s*(?:"[a-z_]+"|[\w.]+))*)\]/g
/** A list that is not a path. */
const METHODS = /^"card"/

/**
 * HTTP method, paths and parameters in a function of the adapter. A function without a path is
 * called by others.
 */
function parseFunction(body: string): { calls: Call[]; params: string[]; values: string[] } {
  const posts = /\.(?:post|update)(::<[^(]*>)?\(|Method::POST/
  const method = /Method::DELETE|\.delete\(/.test(body) ? 'DELETE' : posts.test(body) ? 'POST' : 'GET'
  const params = [...body.matchAll(/\.(?:set|set_some|list|map)\(\s*"([^"/]+)",(?!\s*(?:&\[|path\b))/g)].map(
    ([, name = '']) => normalizeName(name),
  )
  const pairs = body.matchAll(/\.set\(\s*"([^"/]+)",\s*"([^"]*)"\s*,?\s*\)/g)
  // Only enumerated values count. Names, addresses and metadata are free text.
  const listed = [...pairs].filter(
    ([, name = '', value = '']) => /^[A-Za-z][\w-]*$/.test(value) && !name.startsWith('metadata'),
  )
  const values = listed.map(([, name = '', value = '']) => `${normalizeName(name)}=${value}`)
  const paths = [...body.matchAll(PATH)].map(([, path = '']) => path).filter((path) => !METHODS.test(path))
  const calls = paths.map((path) => {
    const segments = path
      .split(/,\s*/)
      .map((segment) => (segment.startsWith('"') ? segment.slice(1, -1) : '[^/]+'))
    return {
      method,
      path: new RegExp(`^/v1/${segments.join('/')}$`),
      shown: `${method} ${segments.join('/')}`,
    }
  })
  return { calls, params, values }
}

test('each call of the adapter, with its parameters, is made here by the SDK of the provider', () => {
  const folder = join(root, 'server/src/providers/stripe')
  const files = readdirSync(folder).filter((file) => file.endsWith('.rs') && file !== 'tests.rs')
  const source = files
    .map((file) => readFileSync(join(folder, file), 'utf8').split('#[cfg(test)]')[0])
    .join('\n')
  const made = readRecord('answers')
    .filter((one) => !('error' in one.body))
    .map((one) => ({
      call: one.call.split(' '),
      parameterNames: (one.parameterNames ?? []).map(normalizeName),
      parameterValues: (one.parameterValues ?? []).map(normalizeValue),
    }))
  const functions = source.split(/\n {4}(?:pub(?:\(\w+\))? )?async fn |\n(?=[a-z#/])/).map(parseFunction)
  const missing = functions.flatMap(({ calls, params, values }) => {
    const seen = calls.map((call) =>
      made.filter(({ call: [method, path = ''] }) => method === call.method && call.path.test(path)),
    )
    const absent = calls.filter((_, at) => seen[at]?.length === 0).map((call) => call.shown)
    const theirs = calls.length > 0 ? seen.flat() : made
    const sentNames = new Set(theirs.flatMap((one) => one.parameterNames))
    const sentValues = new Set(theirs.flatMap((one) => one.parameterValues))
    const unsent = [
      ...params.filter((name) => !sentNames.has(name)),
      ...values.filter((pair) => !sentValues.has(pair)),
    ]
    return [...absent, ...unsent.map((what) => `${calls.map((call) => call.shown).join(', ')}: ${what}`)]
  })

  expect(functions.flatMap(({ calls }) => calls).length).toBeGreaterThan(18)
  expect(missing, 'calls of the adapter, or parameters of theirs, without a case in calls.spec.ts').toEqual(
    [],
  )
})

/**
 * Compiles these tests with closed enums in the SDK's types, so that an undocumented value is an
 * error.
 */
function compileRequests(...more: string[]) {
  strictTypings()
  const config = {
    extends: '../../../tsconfig.json',
    compilerOptions: { paths: { stripe: ['./stripe/stripe.esm.node.d.ts'] } },
    include: ['../*.ts', ...more],
    exclude: [],
  }
  writeFileSync(join(results, 'requests.json'), JSON.stringify(config))
  const run = spawnSync(
    join(root, 'tests/node_modules/.bin/tsc'),
    ['-p', 'requests.json', '--pretty', 'false'],
    { cwd: results, encoding: 'utf8' },
  )
  return { output: run.stdout, status: run.status }
}

test('the requests made by the SDK fit its own types, with documented values', () => {
  expect(compileRequests()).toEqual({ output: '', status: 0 })
})

test('a value that the provider does not document is refused in a request', () => {
  writeFileSync(
    join(results, 'wrong-request.ts'),
    `import type { Stripe } from 'stripe'
export const wrong: Stripe.RefundCreateParams = { payment_intent: 'pi_1', reason: 'banana' }
export const right: Stripe.RefundCreateParams = { payment_intent: 'pi_1', reason: 'duplicate' }
`,
  )

  const { output, status } = compileRequests('./wrong-request.ts')

  expect(status).not.toBe(0)
  expect(
    output
      .trim()
      .split('\n')
      .filter((line) => line.includes('error')),
  ).toHaveLength(1)
  expect(output).toContain('"banana"')
})

/** `checkout.session` is `Checkout.Session` to the SDK. */
function typeName(object: string) {
  const pascal = (part: string) =>
    part.replaceAll(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())
  return object.split('.').map(pascal).join('.')
}

function typeOf(body: Record<string, unknown>): string {
  const object = String(body.object)
  if (object === 'list' || object === 'search_result') {
    const kinds = [...new Set((body.data as Record<string, unknown>[]).map(typeOf))]
    return `${object === 'list' ? 'ApiList' : 'ApiSearchResult'}<${kinds.join(' | ') || 'never'}>`
  }
  // The invoice of this event does not exist yet: it has no id.
  if (object === 'event' && body.type === 'invoice.upcoming') {
    return "Omit<Stripe.InvoiceUpcomingEvent, 'data'> & { data: { object: Omit<Stripe.Invoice, 'id'> } }"
  }
  if (object === 'event') return `Extract<Stripe.Event, { type: '${body.type}' }>`
  // The lines of a session are called `item`, for short.
  const names: Record<string, string> = { item: 'LineItem' }
  const name = names[object] ?? typeName(object)
  return body.deleted ? `Stripe.${name.replace(/(\w+)$/, 'Deleted$1')}` : `Stripe.${name}`
}

/**
 * The SDK's types with closed enums, without the "or any other string" of each, and with decimals
 * as strings.
 */
function strictTypings(): string {
  const folder = join(results, 'stripe')
  cpSync(join(root, 'tests/node_modules/stripe/esm'), folder, {
    recursive: true,
    filter: (source) => !/\.(js|map)$/.test(source),
  })
  const edit = (file: string, find: RegExp, put: string) => {
    const text = readFileSync(join(folder, file), 'utf8')
    expect(text, file).toMatch(find)
    writeFileSync(join(folder, file), text.replace(find, put))
  }
  edit('shared.d.ts', /export type OtherString = .*;/, 'export type OtherString = never;')
  edit('Decimal.d.ts', /^[\s\S]*$/, 'export type Decimal = string;\nexport declare const Decimal: unknown;\n')
  return folder
}

/** One constant per response, so that surplus and missing fields are errors. */
function asTypeScript(all: Recorded[]): string {
  const imports =
    "import type { Stripe } from './stripe/stripe.esm.node.js'\nimport type { ApiList, ApiSearchResult } from './stripe/lib.js'\n"
  const seen = new Set<string>()
  const constants = all.flatMap(({ call, body }) => {
    const value = JSON.stringify(body)
    if (seen.has(value)) return []
    seen.add(value)
    return [`/* ${call} */ export const _${seen.size}: ${typeOf(body)} = ${value}`]
  })
  return `${imports}${constants.join('\n')}\n`
}

/** Compiler errors of the responses: each once, with the first call that caused it. */
function compileErrors(all: Recorded[], name: string): string[] {
  const text = asTypeScript(all)
  writeFileSync(join(results, name), text)
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--pretty',
    'false',
    '--strict',
    '--skipLibCheck',
    '--types',
    'node',
  ]
  const modern = ['--target', 'es2022', '--module', 'nodenext']
  const run = spawnSync(join(root, 'tests/node_modules/.bin/tsc'), [...options, ...modern, name], {
    cwd: results,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const lines = text.split('\n')
  const first = new Map<string, string>()
  for (const output of run.stdout.split(/\n(?! )/).filter(Boolean)) {
    const [, line, message] = output.match(/^\S+\((\d+),\d+\): (?:error TS\d+: )?([\s\S]*)$/) ?? [
      '',
      '0',
      output,
    ]
    const short = String(message).replaceAll(/'\{ [^']{40,}\}'/g, '{…}')
    if (!first.has(short))
      first.set(short, String(lines[Number(line) - 1]).match(/^\/\* (.*?) \*\//)?.[1] ?? '')
  }
  if (run.status !== 0 && first.size === 0) first.set(run.stderr, 'tsc')
  return [...first].map(([message, call]) => `${call}: ${message}`)
}

test.describe('responses and events of the sandbox fit the types of the SDK, with documented values', () => {
  test.beforeAll(strictTypings)

  test('each response fits its type', () => {
    const good = readRecord('answers').filter((one) => !('error' in one.body))

    expect(good.length).toBeGreaterThan(50)
    expect(compileErrors(good, 'answers.ts')).toEqual([])
  })

  test('an undocumented value, a surplus field and a missing one are refused', () => {
    const [customer] = readRecord('answers').filter(
      (one) => one.call === 'POST /v1/customers' && !('error' in one.body),
    )
    const body = customer?.body as Record<string, unknown>
    const { created: _, ...without } = body
    const wrong = [{ ...body, tax_exempt: 'banana' }, { ...body, cor: 'azul' }, without]

    expect(
      compileErrors(
        wrong.map((one) => ({ call: 'x', body: one })),
        'wrong.ts',
      ),
    ).toHaveLength(3)
  })

  test('each event fits its type', () => {
    const events = readRecord('events')
    const kinds = new Set(events.map((one) => one.call))

    expect(kinds.size).toBeGreaterThan(25)
    expect(compileErrors(events, 'events.ts')).toEqual([])
  })
})
