import { useEffect } from 'react'
import {
  type Attribution,
  attributionOf,
  clicksOf,
  keepClicks,
  recordArrival,
} from '../attribution/attribution'
import { adsAllowed } from '../attribution/consent'
import { countPage } from '../attribution/steps'
import { keepLinkedCode } from '../catalog/kept-promotion'
import Consent, { type ConsentPlace } from '../features/consent/consent'
import { useAddress } from '../lib/area'
import { read, readTab } from '../lib/browser-storage'
import { loadConfig } from '../lib/config'
import { afterPaint } from '../lib/use-late'
import { type Route, routeOf } from '../routes/routes'

let arrived: Attribution | null | undefined

/**
 * Source of the visit, recorded once, because the router may have left the address of the arrival.
 */
function arrival(): Attribution | null {
  if (arrived === undefined) {
    const returns = Boolean(read('uid') ?? readTab('stepsSeen'))
    for (const address of landingAddresses()) {
      const source = () => attributionOf(address, document.referrer, returns)
      keepLinkedCode(new URL(address).search)
      arrived ??= source()
      dated(() => recordVisit(source(), clicksOf(address)))
    }
  }
  return arrived ?? null
}

/** An arrival; clicks outlast the tab where the visitor has allowed it. */
function recordVisit(...of: Parameters<typeof recordArrival>): void {
  recordArrival(...of)
  if (adsAllowed()) keepClicks()
}

/**
 * Notes once the product's time is known; where it cannot be had, the visitor's own clock is better
 * than nothing.
 */
function dated(record: () => void): void {
  loadConfig().then(record, record)
}

/**
 * Loaded after hydration on every page: records the source and the steps of the visit, and asks
 * about advertising.
 */
export default function Visit() {
  const { pathname, search } = useAddress()
  const route = routeOf(pathname)
  useEffect(() => {
    const from = arrival()
    afterPaint(() => countPage(route?.path, from))
  }, [route])
  useEffect(() => {
    // Also on the way back to it, because the page shows the prices of its code.
    keepLinkedCode(search)
    // Our own links may name a campaign, for instance those of /bio.
    const here = location.href
    if (!search || here === landingAddress()) return
    dated(() => recordVisit(attributionOf(here, ''), clicksOf(here)))
  }, [search])
  return <Consent place={placeOfConsent(route)} />
}

/** A window in which header and question would leave nothing of the page, as at 400% zoom. */
const LOW_PX = 420

/**
 * Over a page that is read; at the end of a form, of an account and of the few links of /bio, which
 * it would cover.
 */
function placeOfConsent(route: Route | null): ConsentPlace {
  if (route?.csp === 'checkout') return 'nowhere'
  const covers = route?.area === 'app' || route?.frame === 'bare' || innerHeight < LOW_PX
  return covers ? 'end' : 'over'
}

/**
 * What an arrival brought with it. The referrer of a visit that has counted no page is a page of
 * ours that was left before its scripts could read its address.
 */
function landingAddresses(): string[] {
  const { referrer } = document
  const isOurs = referrer.startsWith(`${location.origin}/`)
  return [...(isOurs && !readTab('stepsSeen') ? [referrer] : []), landingAddress()]
}

function landingAddress(): string {
  return performance.getEntriesByType('navigation')[0]?.name ?? location.href
}
