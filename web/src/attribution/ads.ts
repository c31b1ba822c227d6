import type { CustomData } from '../gen/garimpo/tracking/v1/tracking_service_pb'
import { loadConfig, type RuntimeConfig } from '../lib/config'
import { loadScript } from '../lib/load-script'
import { priceRaw } from '../lib/money'
import { readTouch, UTM_NAMES } from './attribution'
import type { PageEvent } from './tracking'

/**
 * Sends an event to advertising platforms by their own scripts in this page, with what the server
 * sends them of it. The scripts load with the first event, so no other page and no visitor without
 * permission ever calls a third party. Called only with a permission (tracking.ts).
 */
export async function sendToPlatforms(
  name: PageEvent['name'],
  eventId: string,
  reported: CustomData | undefined,
): Promise<void> {
  const config = await loadConfig()
  const purchase = reported && {
    value: Number(priceRaw(reported.valueCentavos ?? 0n)),
    currency: reported.currency ?? 'BRL',
    subscription_plan: reported.subscriptionPlan ?? '',
    interval: reported.interval ?? '',
  }
  await Promise.all([
    sendToPixel(config, name, eventId, purchase),
    sendToAds(config, name, eventId, purchase),
  ])
}

type Purchase = { value: number; currency: string; subscription_plan: string; interval: string } | undefined
type Call = (...args: unknown[]) => void

interface Platforms {
  fbq?: Call & { queue: unknown[]; callMethod?: Call; loaded?: boolean; version?: string; push?: Call }
  _fbq?: unknown
  dataLayer?: unknown[]
}

const page = globalThis as Platforms

async function sendToPixel(config: RuntimeConfig, name: string, eventID: string, purchase: Purchase) {
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
      // The script must not collect clicks, forms and the page's data by itself.
      fbq('set', 'autoConfig', false, id)
      fbq('init', id)
    }
  }
  page.fbq('trackCustom', name, purchase ?? {}, { eventID })
  await loadScript(pixelScriptUrl)
}

async function sendToAds(config: RuntimeConfig, name: string, eventId: string, purchase: Purchase) {
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
