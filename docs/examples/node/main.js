/**
 * The commands of docs/examples/README.md: one per line on standard input, or `watch FILE`.
 *
 * GARIMPO_GRPC is the address of the internal port (127.0.0.1:50051), GARIMPO_TOKEN a service token
 * with the scope billing.read.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

import { Code, ConnectError } from '@connectrpc/connect'

import { Entitlements, readCursor, reasonOf, Unreachable } from './entitlements.js'

/** Amounts of the API have 64 bits. */
const MAX_AMOUNT = 2n ** 63n - 1n

const seconds = (name, fallback) => Number(process.env[name] ?? fallback)

const [mode, file, ...rest] = process.argv.slice(2)
const isValidUsage = (mode === undefined || (mode === 'watch' && file !== undefined)) && rest.length === 0
if (!isValidUsage) exit('usage: main.js [watch FILE]')
if (!process.env.GARIMPO_TOKEN) exit('GARIMPO_TOKEN is missing')

const garimpo = new Entitlements({
  address: `http://${process.env.GARIMPO_GRPC ?? '127.0.0.1:50051'}`,
  token: process.env.GARIMPO_TOKEN,
  failOpenMs: seconds('FAIL_OPEN_SECONDS', 3_600) * 1_000,
  maxCacheMs: seconds('CACHE_AT_MOST_SECONDS', 60) * 1_000,
})

async function runCommand([command, ...words]) {
  const [uid, resource, amount] = words
  const shape = `${command} ${words.length}`
  if (shape === 'get 1') {
    const reply = await garimpo.get(uid)
    return `${reply.planId} ${reply.status}`
  }
  if (command === 'batch') {
    const reply = await garimpo.batch(words)
    return `${Object.keys(reply.entitlements).length} known ${reply.notFound.length} unknown`
  }
  const wanted = /^\d+$/.test(amount) && BigInt(amount) <= MAX_AMOUNT ? BigInt(amount) : undefined
  if (shape === 'check 3' && wanted !== undefined) {
    const reply = await garimpo.check(uid, resource, wanted)
    return `${reply.allowed ? 'yes' : 'no'} ${reply.smallestPlanId ?? '-'}`
  }
  if (shape === 'may 3' && wanted !== undefined) {
    const { allowed, source } = await garimpo.checkCached(uid, resource, wanted)
    return `${allowed ? 'yes' : 'no'} ${source}`
  }
  return 'unknown command'
}

async function runCommands() {
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      console.log(await runCommand(line.trim().split(/\s+/)))
    } catch (error) {
      console.log(error instanceof Unreachable ? 'unreachable' : formatError(error))
    }
  }
}

function formatError(error) {
  return `error ${reasonOf(error) || Code[ConnectError.from(error).code]}`
}

function exit(message) {
  console.error(message)
  process.exit(1)
}

async function watch(file) {
  for await (const { kind, message } of garimpo.watch(readCursor(file))) {
    if (kind === 'state' || kind === 'change') {
      const reply = message.entitlements
      console.log(kind, message.uid, reply ? `${reply.planId} ${reply.status}` : 'deleted')
    } else {
      console.log(kind)
    }
    if (message?.cursor) {
      // Written after the message was handled, and atomically: after a crash before this line, the
      // change is sent again.
      writeFileSync(`${file}.new`, message.cursor)
      renameSync(`${file}.new`, file)
    }
  }
}

await (mode === 'watch' ? watch(file) : runCommands()).catch((error) => exit(formatError(error)))
// Exit explicitly, because the open connection would keep the process running.
process.exit()
