import type { CustomData } from '../gen/garimpo/tracking/v1/tracking_service_pb'
import { loadConfig, type RuntimeConfig } from '../lib/config'
import { loadScript } from '../lib/load-script'
import { priceRaw } from '../lib/money'
import { readTouch, UTM_NAMES } from './touches'
import type { PageEvent } from './tracking'

/**
 * Tells advertising platforms of an event what the server tells of it, by their own scripts in this
 * page. They are loaded with the first event that there is to tell, so no other page and nobody
 * without permission ever calls a third party. Called with a permission alone (tracking.ts).
 */
export async function sendToPlatforms(
  name: PageEvent['name'],
  eventId: string,
  told: CustomData | undefined,
): Promise<void> {
  const config = await loadConfig()
  const purchase = told && {
    value: Number(priceRaw(told.valueCentavos ?? 0n)),
    currency: told.currency ?? 'BRL',
    subscription_plan: told.subscriptionPlan ?? '',
    interval: told.interval ?? '',
  }
  await Promise.all([tellPixel(config, name, eventId, purchase), tellAds(config, name, eventId, purchase)])
}

type Purchase = { value: number; currency: string; subscription_plan: string; interval: string } | undefined
type Call = (...args: unknown[]) => void

interface Platforms {
  fbq?: Call & { queue: unknown[]; callMethod?: Call; loaded?: boolean; version?: string; push?: Call }
  _fbq?: unknown
  dataLayer?: unknown[]
}

const page = globalThis as Platforms

async function tellPixel(config: RuntimeConfig, name: string, eventID: string, purchase: Purchase) {
  const { pixelIds = [], pixelScriptUrl } = config
  if (!pixelScriptUrl || pixelIds.length === 0) return
  if (!page.fbq) {
    const fbq: NonNullable<Platforms['fbq']> = Object.assign(
      (...args: unknown[]) => {
        if (fbq.callMethod) fbq.callMethod(...args)
        else fbq.queue.push(args)
      },
      { queue: [] as unknown[], loaded: true, version: '2.0' },
    )
    fbq.push = fbq
    page.fbq = fbq
    page._fbq = fbq
    for (const id of pixelIds) {
      // What we do not tell, the script must not look for by itself: clicks, forms, the page's
      // data.
      fbq('set', 'autoConfig', false, id)
      fbq('init', id)
    }
  }
  page.fbq('trackCustom', name, purchase ?? {}, { eventID })
  await loadScript(pixelScriptUrl)
}

async function tellAds(config: RuntimeConfig, name: string, eventId: string, purchase: Purchase) {
  const { adsId, adsScriptUrl, adsLabels } = config
  const label = adsLabels?.[name]
  if (!adsId || !adsScriptUrl || !label) return
  if (!page.dataLayer) {
    page.dataLayer = []
    // Only measuring was allowed, so no audience may be built from it.
    gtag('consent', 'default', {
      ad_storage: 'granted',
      ad_user_data: 'granted',
      ad_personalization: 'denied',
      analytics_storage: 'denied',
    })
    gtag('js', new Date())
    gtag('config', adsId, { send_page_view: false })
  }
  const touch = readTouch('lastTouch')
  const utm = UTM_NAMES.map((key) => [key, touch?.[key]])
  gtag('event', 'conversion', {
    send_to: `${adsId}/${label}`,
    transaction_id: eventId,
    ...purchase,
    ...Object.fromEntries(utm.filter(([, value]) => value)),
  })
  await loadScript(`${adsScriptUrl}?id=${encodeURIComponent(adsId)}`)
}

/** The platform's script reads the arguments object itself. */
function gtag(..._: unknown[]): void {
  // biome-ignore lint/complexity/noArguments: an array in its place is not read as a call
  page.dataLayer?.push(arguments)
}
