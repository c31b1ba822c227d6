import { readTab, writeTab } from '../lib/browser-storage'
import { type Path, paths } from '../lib/paths'
import { type Attribution, sourceOf } from './attribution'

type Step = 'landing' | 'plans' | 'signup' | 'upsell'

const OF_PAGES: Partial<Record<Path, Step>> = {
  [paths.plans]: 'plans',
  [paths.promoPlans]: 'plans',
  [paths.promoLanding]: 'plans',
  [paths.signUp]: 'signup',
  [paths.upsell]: 'upsell',
}

/**
 * Counts that this visit began and came to a page: each step once in a tab, and nothing about the
 * visitor.
 */
export function countPage(path: Path | undefined, arrival: Attribution | null): void {
  count('landing', {
    source: arrival ? sourceOf(arrival) : undefined,
    campaign: arrival?.utm_campaign ?? arrival?.campaign_id,
    promo: arrival?.promo,
  })
  const step = path && OF_PAGES[path]
  if (step) count(step)
}

function count(step: Step, from: { source?: string; campaign?: string; promo?: string } = {}): void {
  const seen = readTab('stepsSeen')?.split(',') ?? []
  if (seen.includes(step)) return
  writeTab('stepsSeen', [...seen, step].join(','))
  const counted = fetch('/api/steps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ step, ...from }),
    // Counted without identity; the page may be left meanwhile.
    credentials: 'omit',
    keepalive: true,
  })
  // The body is read, because an unread body keeps the connection from the next call.
  counted.then((answer) => answer.text()).catch(() => undefined)
}
