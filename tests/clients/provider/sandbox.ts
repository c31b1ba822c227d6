/** One sandbox for the run, with the provider's SDK as its client and a receiver of its events. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base, expect } from '@playwright/test'
import Stripe from 'stripe'

import { record } from './record'

export { expect, Stripe }

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const binary = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/garimpo')
/** The secret of the endpoint that the sandbox registers itself. */
export const OWN_SECRET = 'whsec_garimpo'

/** A received delivery. */
export interface Delivery {
  path: string
  body: string
  signature: string
  event: Stripe.Event
}

/** Records deliveries and responds to them. */
export class Receiver {
  readonly deliveries: Delivery[] = []
  /** Status by path; 200 by default. */
  readonly statuses = new Map<string, number>()
  private readonly server: Server
  private held: Promise<void> = Promise.resolve()

  constructor() {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString('utf8')
      const path = request.url ?? '/'
      const event = JSON.parse(body) as Stripe.Event
      this.deliveries.push({ path, body, signature: String(request.headers['stripe-signature']), event })
      record('events', { call: event.type, body: JSON.parse(body) })
      await this.held
      response.writeHead(this.statuses.get(path) ?? 200).end()
    })
  }

  async listen() {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening))
  }

  get url() {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close() {
    this.server.close()
  }

  /** Holds all responses until the returned function is called. */
  hold(): () => void {
    let open = () => {}
    this.held = new Promise((release) => {
      open = release
    })
    return open
  }

  /** Waits for a delivery and returns it. */
  async waitForDelivery(wanted: (delivery: Delivery) => boolean, what: string): Promise<Delivery> {
    await waitUntil(() => this.deliveries.some(wanted), what)
    return this.deliveries.find(wanted) as Delivery
  }
}

/** The running sandbox. */
export class Sandbox {
  readonly receiver = new Receiver()
  private readonly folder = mkdtempSync(join(tmpdir(), 'garimpo-provider-'))
  private process!: ChildProcess
  url = ''
  sdk!: Stripe

  static async start(): Promise<Sandbox> {
    const sandbox = new Sandbox()
    try {
      await sandbox.begin()
    } catch (failed) {
      sandbox.stop()
      throw failed
    }
    return sandbox
  }

  private async begin() {
    await this.receiver.listen()
    const log = openSync(join(this.folder, 'log'), 'a')
    this.process = spawn(binary, ['sandbox'], {
      stdio: ['ignore', log, log],
      env: {
        GARIMPO_DATA_DIR: this.folder,
        GARIMPO_SANDBOX_LISTEN: '127.0.0.1:0',
        GARIMPO_METRICS_LISTEN: '127.0.0.1:0',
        GARIMPO_SANDBOX_WEBHOOK: `${this.receiver.url}/proprio`,
        GARIMPO_SANDBOX_CLOCK: '2026-12-01T12:00:00-03:00',
      },
    })
    const file = join(this.folder, 'addresses.json')
    await waitUntil(() => existsSync(file) || this.process.exitCode !== null, 'addresses.json')
    if (this.process.exitCode !== null) throw new Error(readFileSync(join(this.folder, 'log'), 'utf8'))
    this.url = JSON.parse(readFileSync(file, 'utf8')).sandbox
    await waitUntil(
      async () => (await fetch(`${this.url}/clock`).catch(() => null))?.ok ?? false,
      'the sandbox',
    )
    this.sdk = this.client()
  }

  /** The provider's SDK with another host. It records its responses. */
  client(key = 'sk_test_garimpo', config: Stripe.StripeConfig = {}) {
    const { hostname, port } = new URL(this.url)
    const httpClient = Stripe.createFetchHttpClient(
      async (input: string | URL | Request, init?: RequestInit) => {
        const answer = await fetch(input, init)
        const asked = new URL(input instanceof Request ? input.url : input)
        const body = await answer.clone().json()
        const params = [...asked.searchParams, ...new URLSearchParams(String(init?.body ?? ''))]
        const parameterNames = params.map(([name]) => name)
        const parameterValues = params.map(([name, value]) => `${name}=${value}`)
        record('answers', {
          call: `${init?.method ?? 'GET'} ${asked.pathname}`,
          parameterNames,
          parameterValues,
          body,
        })
        return answer
      },
    )
    return new Stripe(key, {
      host: hostname,
      port,
      protocol: 'http',
      telemetry: false,
      httpClient,
      ...config,
    })
  }

  /** Calls an endpoint of the sandbox as a visitor, a payer or a tester. */
  async callSandbox(path: string, body: unknown = {}, method = 'POST') {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: method === 'GET' ? undefined : JSON.stringify(body),
    })
    return { status: answer.status, body: await answer.json() }
  }

  stop() {
    this.process.kill('SIGKILL')
    this.receiver.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Waits for a state, never for a time. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, what: string) {
  const deadline = Date.now() + 25_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`did not happen in time: ${what}`)
    await new Promise((soon) => setTimeout(soon, 20))
  }
}

export const test = base.extend<{ sdk: Stripe }, { sandbox: Sandbox }>({
  sandbox: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the pattern
    async ({}, use) => {
      const sandbox = await Sandbox.start()
      await use(sandbox)
      sandbox.stop()
    },
    { scope: 'worker' },
  ],
  sdk: async ({ sandbox }, use) => use(sandbox.sdk),
})
