/** What the sandbox answered and sent in this run: kept line by line in files that the contract reads afterwards. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const results = join(dirname(fileURLToPath(import.meta.url)), 'results')

/** One answer of the API, or one event as it was delivered. */
export interface Recorded {
  /** `GET /v1/customers`, or the name of the event. */
  what: string
  /** Names of the parameters that were sent, as the SDK writes them. */
  sent?: string[]
  /** The parameters with their values, `name=value`. */
  said?: string[]
  body: Record<string, unknown>
}

/** Begins an empty record. */
export default function begin() {
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
}

export function record(kind: 'answers' | 'events', one: Recorded) {
  appendFileSync(join(results, `${kind}.ndjson`), `${JSON.stringify(one)}\n`)
}

export function recorded(kind: 'answers' | 'events'): Recorded[] {
  const file = join(results, `${kind}.ndjson`)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Recorded)
}
