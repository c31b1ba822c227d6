/** The sandbox's answers against what the SDK declares, and the adapter's calls against what the SDK was seen to make. */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'

import { type Recorded, recorded, results } from './record'

const root = join(results, '../../../..')

/** A call that the adapter makes. */
interface Call {
  method: string
  path: RegExp
  shown: string
}

/** `line_items[0][price]` is `line_items[price]`, and the keys of metadata are the caller's own. */
const plain = (name: string) => name.replaceAll(/\[\d*\]/g, '').replace(/(\[?metadata\]?)\[.*$/, '$1')

/** The same of `name=value`. */
function plainValue(pair: string) {
  const at = pair.indexOf('=')
  return `${plain(pair.slice(0, at))}${pair.slice(at)}`
}

/** A path as the adapter writes it, `&["customers", id]`. */
const PATH = /&\[("[a-z_]+"(?:,\s*(?:"[a-z_]+"|[\w.]+))*)\]/g
/** A list of ours that is no path. */
const METHODS = /^"card"/

/** What a function of the adapter writes: its verb, every path and every parameter. One without a path writes for others. */
function written(body: string): { calls: Call[]; params: string[]; values: string[] } {
  const posts = /\.(?:post|update)(::<[^(]*>)?\(|Method::POST/
  const method = /Method::DELETE|\.delete\(/.test(body) ? 'DELETE' : posts.test(body) ? 'POST' : 'GET'
  const params = [...body.matchAll(/\.(?:set|set_some|list|map)\(\s*"([^"/]+)",(?!\s*(?:&\[|path\b))/g)].map(
    ([, name = '']) => plain(name),
  )
  const pairs = body.matchAll(/\.set\(\s*"([^"/]+)",\s*"([^"]*)"\s*,?\s*\)/g)
  // Values of a list are words. Names, addresses and metadata are the caller's own.
  const listed = [...pairs].filter(
    ([, name = '', value = '']) => /^[A-Za-z][\w-]*$/.test(value) && !name.startsWith('metadata'),
  )
  const values = listed.map(([, name = '', value = '']) => `${plain(name)}=${value}`)
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

test('cada chamada do adaptador, com seus parâmetros, é feita aqui pelo SDK do provedor', () => {
  const folder = join(root, 'server/src/providers/stripe')
  const files = readdirSync(folder).filter((file) => file.endsWith('.rs') && file !== 'tests.rs')
  const source = files
    .map((file) => readFileSync(join(folder, file), 'utf8').split('#[cfg(test)]')[0])
    .join('\n')
  const made = recorded('answers')
    .filter((one) => !('error' in one.body))
    .map((one) => ({
      call: one.what.split(' '),
      sent: (one.sent ?? []).map(plain),
      said: (one.said ?? []).map(plainValue),
    }))
  const functions = source.split(/\n {4}(?:pub(?:\(\w+\))? )?async fn |\n(?=[a-z#/])/).map(written)
  const missing = functions.flatMap(({ calls, params, values }) => {
    const seen = calls.map((call) =>
      made.filter(({ call: [method, path = ''] }) => method === call.method && call.path.test(path)),
    )
    const absent = calls.filter((_, at) => seen[at]?.length === 0).map((call) => call.shown)
    const theirs = calls.length > 0 ? seen.flat() : made
    const sent = new Set(theirs.flatMap((one) => one.sent))
    const said = new Set(theirs.flatMap((one) => one.said))
    const unsaid = [...params.filter((name) => !sent.has(name)), ...values.filter((pair) => !said.has(pair))]
    return [...absent, ...unsaid.map((what) => `${calls.map((call) => call.shown).join(', ')}: ${what}`)]
  })

  expect(functions.flatMap(({ calls }) => calls).length).toBeGreaterThan(18)
  expect(
    missing,
    'calls of the adapter, or parameters of theirs, without a case in chamadas.spec.ts',
  ).toEqual([])
})

/** The compiler on the tests themselves, with the SDK's lists of values closed: a wrong value of a request is an error. */
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
  return { said: run.stdout, status: run.status }
}

test('o que o SDK é mandado dizer cabe nos seus próprios tipos, com valores documentados', () => {
  expect(compileRequests()).toEqual({ said: '', status: 0 })
})

test('um valor que o provedor não documenta não passa em um pedido', () => {
  writeFileSync(
    join(results, 'wrong-request.ts'),
    `import type { Stripe } from 'stripe'
export const wrong: Stripe.RefundCreateParams = { payment_intent: 'pi_1', reason: 'banana' }
export const right: Stripe.RefundCreateParams = { payment_intent: 'pi_1', reason: 'duplicate' }
`,
  )

  const { said, status } = compileRequests('./wrong-request.ts')

  expect(status).not.toBe(0)
  expect(
    said
      .trim()
      .split('\n')
      .filter((line) => line.includes('error')),
  ).toHaveLength(1)
  expect(said).toContain('"banana"')
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
 * The SDK's typings as its documentation means them: without the "or any other string" that it adds to every list of
 * values, and with decimals as they are on the wire.
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

/** One constant for each answer, so that a surplus field is an error as much as a missing one. */
function asTypeScript(all: Recorded[]): string {
  const imports =
    "import type { Stripe } from './stripe/stripe.esm.node.js'\nimport type { ApiList, ApiSearchResult } from './stripe/lib.js'\n"
  const seen = new Set<string>()
  const constants = all.flatMap(({ what, body }) => {
    const value = JSON.stringify(body)
    if (seen.has(value)) return []
    seen.add(value)
    return [`/* ${what} */ export const _${seen.size}: ${typeOf(body)} = ${value}`]
  })
  return `${imports}${constants.join('\n')}\n`
}

/** What the compiler says of the answers: each thing once, led by the first call that it was said of. */
function complaints(all: Recorded[], name: string): string[] {
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
  for (const said of run.stdout.split(/\n(?! )/).filter(Boolean)) {
    const [, line, message] = said.match(/^\S+\((\d+),\d+\): (?:error TS\d+: )?([\s\S]*)$/) ?? ['', '0', said]
    const short = String(message).replaceAll(/'\{ [^']{40,}\}'/g, '{…}')
    if (!first.has(short))
      first.set(short, String(lines[Number(line) - 1]).match(/^\/\* (.*?) \*\//)?.[1] ?? '')
  }
  if (run.status !== 0 && first.size === 0) first.set(run.stderr, 'tsc')
  return [...first].map(([message, call]) => `${call}: ${message}`)
}

test.describe('o que o sandbox responde cabe nos tipos do SDK, e seus valores nos documentados', () => {
  test.beforeAll(strictTypings)

  test('respostas', () => {
    const good = recorded('answers').filter((one) => !('error' in one.body))

    expect(good.length).toBeGreaterThan(50)
    expect(complaints(good, 'answers.ts')).toEqual([])
  })

  test('um valor fora da documentação, um campo a mais e um a menos não passam', () => {
    const [customer] = recorded('answers').filter(
      (one) => one.what === 'POST /v1/customers' && !('error' in one.body),
    )
    const body = customer?.body as Record<string, unknown>
    const { created: _, ...without } = body
    const wrong = [{ ...body, tax_exempt: 'banana' }, { ...body, cor: 'azul' }, without]

    expect(
      complaints(
        wrong.map((one) => ({ what: 'x', body: one })),
        'wrong.ts',
      ),
    ).toHaveLength(3)
  })

  test('eventos', () => {
    const events = recorded('events')
    const kinds = new Set(events.map((one) => one.what))

    expect(kinds.size).toBeGreaterThan(25)
    expect(complaints(events, 'events.ts')).toEqual([])
  })
})
