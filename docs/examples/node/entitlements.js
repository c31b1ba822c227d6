/**
 * What an account may use, asked of Garimpo as a service should: cached, with a deadline, and open for a while when
 * Garimpo does not answer (docs/grpc.md, "How a caller should behave").
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'

import { EntitlementService } from './gen/garimpo/billing/v1/entitlement_service_pb.js'
import { ErrorInfoSchema, RetryInfoSchema } from './gen/google/rpc/error_details_pb.js'

/** Somebody waits behind each call, so it must not wait for long. */
const DEADLINE_MS = 1_000
/** The longest pause between two tries. */
const LONGEST_PAUSE_MS = 10_000
/** The token is not let in. A person has to mend that: trying again does not. */
const REFUSED = [Code.Unauthenticated, Code.PermissionDenied]

/** Garimpo does not answer, and nothing recent enough is known of the account. */
export class Unreachable extends Error {}

/** The ErrorReason of a failed call, for instance USER_NOT_FOUND; empty when the transport made the error. */
export function reasonOf(error) {
  return ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason ?? ''
}

/** Pauses that double, each drawn at random below its bound, so that callers do not come back all at once. */
class BackOff {
  failures = 0

  pauseMs(error) {
    const bound = Math.min(LONGEST_PAUSE_MS, 100 * 2 ** this.failures)
    this.failures += 1
    return duration(ConnectError.from(error).findDetails(RetryInfoSchema)[0]?.retryDelay) + Math.random() * bound
  }
}

/** Milliseconds of a google.protobuf.Duration. */
function duration(told) {
  return told ? Number(told.seconds) * 1_000 + told.nanos / 1e6 : 0
}

export class Entitlements {
  #client
  #headers
  #failOpenMs
  #cacheAtMostMs
  /** uid to the answer, until when it is fresh, and until when it stands in while Garimpo does not answer. */
  #known = new Map()
  #backOff = new BackOff()
  #notBefore = 0

  constructor({ address, token, failOpenMs = 3_600_000, cacheAtMostMs = 60_000 }) {
    // Pings find a connection that died without a word; a watch would wait on it for ever.
    const transport = createGrpcTransport({ baseUrl: address, pingIntervalMs: 30_000, pingTimeoutMs: 10_000 })
    this.#client = createClient(EntitlementService, transport)
    this.#headers = { authorization: `Bearer ${token}` }
    this.#failOpenMs = failOpenMs
    this.#cacheAtMostMs = cacheAtMostMs
  }

  get(uid) {
    return this.#client.getEntitlements({ uid }, { headers: this.#headers, timeoutMs: DEADLINE_MS })
  }

  /** Up to 1,000 uids at once: what a program asks when it starts. */
  batch(uids) {
    return this.#client.batchGetEntitlements({ uids }, { headers: this.#headers, timeoutMs: 5 * DEADLINE_MS })
  }

  check(uid, resource, wanted) {
    const asked = { uid, resource, wanted }
    return this.#client.checkLimit(asked, { headers: this.#headers, timeoutMs: DEADLINE_MS })
  }

  /** Whether the account may have `wanted` of a resource, and how that is known: fresh, cached or stale. */
  async may(uid, resource, wanted) {
    const { answer, how } = await this.#answerFor(uid)
    const amount = answer?.limits.find((limit) => limit.resource === resource)?.amount
    return { allowed: amount?.case === 'unlimited' || (amount?.case === 'max' && wanted <= amount.value), how }
  }

  async #answerFor(uid) {
    const now = performance.now()
    const known = this.#known.get(uid)
    if (known && now < known.freshUntil) return { answer: known.answer, how: 'cached' }
    if (now >= this.#notBefore) {
      try {
        return { answer: await this.#fresh(uid, now), how: 'fresh' }
      } catch (error) {
        if (reasonOf(error) === 'USER_NOT_FOUND') {
          this.#known.delete(uid)
          return { how: 'fresh' }
        }
        // A defect of ours in this one question, which says nothing of the next.
        if (ConnectError.from(error).code === Code.InvalidArgument) throw error
        this.#notBefore = now + this.#pauseMs(error)
      }
    }
    if (known && now < known.standsInUntil) return { answer: known.answer, how: 'stale' }
    throw new Unreachable()
  }

  /** Nobody asks again before it is over: whoever is in trouble needs fewer calls, not more. */
  #pauseMs(error) {
    const { code } = ConnectError.from(error)
    if (!REFUSED.includes(code)) return this.#backOff.pauseMs(error)
    // What is known stands in as in an outage, until somebody starts this with another token.
    alarm(code)
    return Infinity
  }

  async #fresh(uid, now) {
    const answer = await this.get(uid)
    this.#backOff = new BackOff()
    const freshUntil = now + Math.min(duration(answer.cacheFor), this.#cacheAtMostMs)
    this.#known.set(uid, { answer, freshUntil, standsInUntil: now + this.#failOpenMs })
    return answer
  }

  /**
   * Every state and change as { what: 'state' | 'change' | 'level', message }, for ever; the caller keeps the cursor of
   * each message once it has worked on it. { what: 'again' } says that all states are told from the start.
   */
  async *watch(cursor) {
    let backOff = new BackOff()
    for (;;) {
      try {
        for await (const message of this.#client.watchEntitlements({ cursor }, { headers: this.#headers })) {
          backOff = new BackOff()
          cursor = message.cursor || cursor
          // Without a uid, the first says that all states were told; later ones are heartbeats with a younger cursor.
          yield { what: !message.uid ? 'level' : message.cursor ? 'change' : 'state', message }
        }
        await sleep(1_000) // It ended without an error: something in between closed it.
      } catch (error) {
        if (reasonOf(error) === 'CURSOR_EXPIRED') {
          cursor = undefined
          yield { what: 'again' }
          continue
        }
        const { code } = ConnectError.from(error)
        if (REFUSED.includes(code)) alarm(code)
        if ([...REFUSED, Code.InvalidArgument].includes(code)) throw error
        await sleep(backOff.pauseMs(error))
      }
    }
  }
}

function alarm(code) {
  console.error(`ALARM: Garimpo refuses the token (${Code[code]}): nothing is asked any more`)
}

/** The cursor of an earlier run, if there is one. */
export function cursorOf(file) {
  try {
    return readFileSync(file, 'utf8') || undefined
  } catch {
    return undefined
  }
}
