/**
 * A client of EntitlementService that caches replies, sets deadlines and uses the last reply for a
 * while when Garimpo does not respond (docs/grpc.md, "How a caller should behave").
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'

import { EntitlementService } from './gen/garimpo/billing/v1/entitlement_service_pb.js'
import { ErrorInfoSchema, RetryInfoSchema } from './gen/google/rpc/error_details_pb.js'

/** A user waits for each call, so its deadline is short. */
const DEADLINE_MS = 1_000
/** Maximum pause between two tries. */
const MAX_PAUSE_MS = 10_000
/** The token is refused: a person must replace it, and retries do not help. */
const TOKEN_REFUSED = [Code.Unauthenticated, Code.PermissionDenied]

/** Garimpo does not respond, and there is no recent reply about the account. */
export class Unreachable extends Error {}

/** Returns the ErrorReason of a failed call, such as USER_NOT_FOUND. Empty if the transport failed. */
export function reasonOf(error) {
  return ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason ?? ''
}

/** Exponential backoff with random pauses, so that callers do not retry all at once. */
class BackOff {
  failures = 0

  pauseMs(error) {
    const bound = Math.min(MAX_PAUSE_MS, 100 * 2 ** this.failures)
    this.failures += 1
    return toMs(ConnectError.from(error).findDetails(RetryInfoSchema)[0]?.retryDelay) + Math.random() * bound
  }
}

/** Milliseconds of a google.protobuf.Duration. */
function toMs(duration) {
  return duration ? Number(duration.seconds) * 1_000 + duration.nanos / 1e6 : 0
}

export class Entitlements {
  #client
  #headers
  #failOpenMs
  #maxCacheMs
  /** By uid: a reply, the time until it is fresh, and the time until it may be used in an outage. */
  #cache = new Map()
  #backOff = new BackOff()
  #retryAt = 0

  constructor({ address, token, failOpenMs = 3_600_000, maxCacheMs = 60_000 }) {
    // Pings detect a dead connection, on which a watch would wait forever.
    const transport = createGrpcTransport({ baseUrl: address, pingIntervalMs: 30_000, pingTimeoutMs: 10_000 })
    this.#client = createClient(EntitlementService, transport)
    this.#headers = { authorization: `Bearer ${token}` }
    this.#failOpenMs = failOpenMs
    this.#maxCacheMs = maxCacheMs
  }

  get(uid) {
    return this.#client.getEntitlements({ uid }, { headers: this.#headers, timeoutMs: DEADLINE_MS })
  }

  /** Reads up to 1,000 accounts in one call, for the start of a program. */
  batch(uids) {
    return this.#client.batchGetEntitlements({ uids }, { headers: this.#headers, timeoutMs: 5 * DEADLINE_MS })
  }

  check(uid, resource, wanted) {
    const request = { uid, resource, wanted }
    return this.#client.checkLimit(request, { headers: this.#headers, timeoutMs: DEADLINE_MS })
  }

  /**
   * Returns whether the account may have `wanted` of a resource, and the source of the result:
   * fresh, cached or stale.
   */
  async checkCached(uid, resource, wanted) {
    const { reply, source } = await this.#lookUp(uid)
    const amount = reply?.limits.find((limit) => limit.resource === resource)?.amount
    return { allowed: amount?.case === 'unlimited' || (amount?.case === 'max' && wanted <= amount.value), source }
  }

  async #lookUp(uid) {
    const now = performance.now()
    const cached = this.#cache.get(uid)
    if (cached && now < cached.freshUntil) return { reply: cached.reply, source: 'cached' }
    if (now >= this.#retryAt) {
      try {
        return { reply: await this.#fetch(uid, now), source: 'fresh' }
      } catch (error) {
        if (reasonOf(error) === 'USER_NOT_FOUND') {
          this.#cache.delete(uid)
          return { source: 'fresh' }
        }
        // This request is malformed. Other requests are not affected.
        if (ConnectError.from(error).code === Code.InvalidArgument) throw error
        this.#retryAt = now + this.#pauseAfterMs(error)
      }
    }
    if (cached && now < cached.usableUntil) return { reply: cached.reply, source: 'stale' }
    throw new Unreachable()
  }

  /**
   * Returns the pause before the next call, because a failing server needs fewer calls. Infinite if
   * the token is refused.
   */
  #pauseAfterMs(error) {
    const { code } = ConnectError.from(error)
    if (!TOKEN_REFUSED.includes(code)) return this.#backOff.pauseMs(error)
    // Cached replies are used as in an outage, until the program is started with another token.
    raiseAlarm(code)
    return Infinity
  }

  async #fetch(uid, now) {
    const reply = await this.get(uid)
    this.#backOff = new BackOff()
    const freshUntil = now + Math.min(toMs(reply.cacheFor), this.#maxCacheMs)
    this.#cache.set(uid, { reply, freshUntil, usableUntil: now + this.#failOpenMs })
    return reply
  }

  /**
   * Yields events as { kind, message }, forever:
   *
   * 'state': the rights of an account when the watch begins. 'change': its rights after a change.
   * 'up-to-date': all states were sent, or nothing changed for 30 s. 'restarted', without a message:
   * the cursor had expired, so all states are sent again; accounts without a state were deleted.
   *
   * The caller stores the cursor of a message after it has handled the message.
   */
  async *watch(cursor) {
    let backOff = new BackOff()
    for (;;) {
      try {
        for await (const message of this.#client.watchEntitlements({ cursor }, { headers: this.#headers })) {
          backOff = new BackOff()
          cursor = message.cursor || cursor
          yield { kind: !message.uid ? 'up-to-date' : message.cursor ? 'change' : 'state', message }
        }
        await sleep(1_000) // The stream ended without an error, for instance closed by a proxy.
      } catch (error) {
        if (reasonOf(error) === 'CURSOR_EXPIRED') {
          cursor = undefined
          yield { kind: 'restarted' }
          continue
        }
        const { code } = ConnectError.from(error)
        if (TOKEN_REFUSED.includes(code)) raiseAlarm(code)
        if ([...TOKEN_REFUSED, Code.InvalidArgument].includes(code)) throw error
        await sleep(backOff.pauseMs(error))
      }
    }
  }
}

function raiseAlarm(code) {
  console.error(`ALARM: Garimpo refuses the token (${Code[code]}): no more calls are made`)
}

/** Reads the cursor of an earlier run, if there is one. */
export function readCursor(file) {
  try {
    return readFileSync(file, 'utf8') || undefined
  } catch {
    return undefined
  }
}
