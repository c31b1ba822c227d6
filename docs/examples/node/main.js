/**
 * The commands of docs/examples/README.md: one a line on standard input, or `watch FILE`.
 *
 * GARIMPO_GRPC is the internal port (127.0.0.1:50051), GARIMPO_TOKEN a service token with billing.read.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

import { Code, ConnectError } from '@connectrpc/connect'

import { cursorOf, Entitlements, reasonOf, Unreachable } from './entitlements.js'

/** The contract's amounts are 64 bits wide. */
const LARGEST = 2n ** 63n - 1n

const seconds = (name, usual) => Number(process.env[name] ?? usual)

const [mode, file, ...rest] = process.argv.slice(2)
const isUsed = (mode === undefined || (mode === 'watch' && file !== undefined)) && rest.length === 0
if (!isUsed) ends('usage: main.js [watch FILE]')
if (!process.env.GARIMPO_TOKEN) ends('GARIMPO_TOKEN is missing')

const garimpo = new Entitlements({
  address: `http://${process.env.GARIMPO_GRPC ?? '127.0.0.1:50051'}`,
  token: process.env.GARIMPO_TOKEN,
  failOpenMs: seconds('FAIL_OPEN_SECONDS', 3_600) * 1_000,
  cacheAtMostMs: seconds('CACHE_AT_MOST_SECONDS', 60) * 1_000,
})

async function answer([command, ...words]) {
  const [uid, resource, amount] = words
  const asks = `${command} ${words.length}`
  if (asks === 'get 1') {
    const told = await garimpo.get(uid)
    return `${told.planId} ${told.status}`
  }
  if (command === 'batch') {
    const told = await garimpo.batch(words)
    return `${Object.keys(told.entitlements).length} known ${told.notFound.length} unknown`
  }
  const wanted = /^\d+$/.test(amount) && BigInt(amount) <= LARGEST ? BigInt(amount) : undefined
  if (asks === 'check 3' && wanted !== undefined) {
    const told = await garimpo.check(uid, resource, wanted)
    return `${told.allowed ? 'yes' : 'no'} ${told.smallestPlanId ?? '-'}`
  }
  if (asks === 'may 3' && wanted !== undefined) {
    const { allowed, how } = await garimpo.may(uid, resource, wanted)
    return `${allowed ? 'yes' : 'no'} ${how}`
  }
  return 'unknown command'
}

async function ask() {
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      console.log(await answer(line.trim().split(/\s+/)))
    } catch (error) {
      console.log(error instanceof Unreachable ? 'unreachable' : refusal(error))
    }
  }
}

function refusal(error) {
  return `error ${reasonOf(error) || Code[ConnectError.from(error).code]}`
}

function ends(why) {
  console.error(why)
  process.exit(1)
}

async function watch(file) {
  for await (const { what, message } of garimpo.watch(cursorOf(file))) {
    if (what === 'state' || what === 'change') {
      const told = message.entitlements
      console.log(what, message.uid, told ? `${told.planId} ${told.status}` : 'gone')
    } else {
      console.log(what)
    }
    if (message?.cursor) {
      // After the work, and whole: a crash before this line has the same change told again.
      writeFileSync(`${file}.new`, message.cursor)
      renameSync(`${file}.new`, file)
    }
  }
}

await (mode === 'watch' ? watch(file) : ask()).catch((error) => ends(refusal(error)))
// The connection stays open for the next call; there is none.
process.exit()
