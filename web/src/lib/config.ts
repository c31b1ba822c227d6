import { suggestServerTime } from './server-clock'

/** Settings read at run time, because the HTML is never rewritten: `GET /config.json`. */
export interface RuntimeConfig {
  /** Loaded before the payment SDK; absent means the SDK's own address. */
  checkoutScriptUrl: string | null
  checkoutPublishableKey: string
  blackNovember: boolean
  /** RFC 3339. */
  serverTime: string
  /** Meta's pixels and their script; only with the visitor's permission. */
  pixelIds?: readonly string[]
  pixelScriptUrl?: string | null
  /**
   * Google's ads account, its script, and the label of each event's conversion action; the same.
   */
  adsId?: string | null
  adsScriptUrl?: string | null
  adsLabels?: Readonly<Record<string, string>>
  /** Whether a sign-up may require a challenge. */
  captcha?: boolean
}

let loading: Promise<RuntimeConfig> | undefined

/** The runtime settings, asked once; a failure is forgotten, so that the next caller asks again. */
export function loadConfig(): Promise<RuntimeConfig> {
  loading ??= fetchConfig().catch((cause: unknown) => {
    loading = undefined
    throw cause
  })
  return loading
}

async function fetchConfig(): Promise<RuntimeConfig> {
  const answer = await fetch('/config.json', { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(`config.json answered ${answer.status}`)
  const config = (await answer.json()) as Partial<RuntimeConfig>
  const serverTime = new Date(config.serverTime ?? Number.NaN)
  if (!Number.isNaN(serverTime.getTime())) suggestServerTime(serverTime)
  return {
    ...config,
    checkoutScriptUrl: config.checkoutScriptUrl || null,
    checkoutPublishableKey: config.checkoutPublishableKey ?? '',
    blackNovember: config.blackNovember ?? false,
    serverTime: config.serverTime ?? '',
  }
}
