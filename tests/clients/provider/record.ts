/** Records responses and events of the sandbox in NDJSON files, which contract.spec.ts reads. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const results = join(dirname(fileURLToPath(import.meta.url)), 'results')

/** A response of the API or a delivered event. */
export interface Recorded {
  /** `GET /v1/customers`, or the name of the event. */
  call: string
  /** Names of the parameters that were sent, as the SDK writes them. */
  parameterNames?: string[]
  /** The parameters with their values, `name=value`. */
  parameterValues?: string[]
  body: Record<string, unknown>
}

/** Deletes the record of the last run. */
export default function clearRecord() {
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
}

export function record(kind: 'answers' | 'events', one: Recorded) {
  appendFileSync(join(results, `${kind}.ndjson`), `${JSON.stringify(one)}\n`)
}

export function readRecord(kind: 'answers' | 'events'): Recorded[] {
  const file = join(results, `${kind}.ndjson`)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Recorded)
}
