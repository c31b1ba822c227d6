import { read, remove, write } from '../lib/browser-storage'
import { loadConfig } from '../lib/config'
import { serverNow } from '../lib/server-clock'
import { useStored } from '../lib/use-stored'
import { defaultCode } from './catalog'
import { promoCodeOf } from './promo-code'

/** The promo code that this browser keeps. */
export interface KeptPromotion {
  code: string | null
  /** ISO. When the code was kept, or when the visitor removed one. */
  keptAt: string | null
}

/** An event that changes the code of a browser. */
export type PromotionEvent =
  /** An address has a code. */
  | { kind: 'linked'; code: string; at: string }
  /** A promotional page was opened without a code. */
  | { kind: 'defaulted'; code: string; at: string }
  /** The product's time is known: the code was dated by the visitor's clock. */
  | { kind: 'dated'; code: string; at: string }
  /** A sign-in returned the code of the account's sign-up, and when it was kept. */
  | { kind: 'signed-in'; code: string; at: string }
  /** The visitor removed the code. */
  | { kind: 'removed'; at: string }
  /** The server does not offer the code: used, removed on another device, refused or unknown. */
  | { kind: 'over'; code: string }

/** The only rule of which code is kept. */
export function keepPromotion(kept: KeptPromotion, event: PromotionEvent): KeptPromotion {
  switch (event.kind) {
    case 'linked':
      return { code: event.code, keptAt: event.at }
    case 'defaulted':
      return kept.code ? kept : { code: event.code, keptAt: event.at }
    case 'dated':
      return kept.code === event.code ? { ...kept, keptAt: event.at } : kept
    case 'signed-in':
      return kept.code || isRemovedSince(kept, event.at) ? kept : { code: event.code, keptAt: event.at }
    case 'removed':
      return { code: null, keptAt: event.at }
    case 'over':
      return kept.code === event.code ? { code: null, keptAt: null } : kept
  }
}

/** Whether the visitor removed a code in this browser after that time. */
export function isRemovedSince({ code, keptAt }: KeptPromotion, at: string): boolean {
  return code === null && new Date(keptAt ?? 0) > new Date(at)
}

export function readKeptPromotion(): KeptPromotion {
  return { code: read('promoCode'), keptAt: read('promoCodeAt') }
}

/** The only writer and remover of the code. */
export function applyPromotion(event: PromotionEvent): void {
  const before = readKeptPromotion()
  const after = keepPromotion(before, event)
  if (after.code !== before.code) store('promoCode', after.code)
  if (after.keptAt !== before.keptAt) store('promoCodeAt', after.keptAt)
}

function store(key: 'promoCode' | 'promoCodeAt', value: string | null): void {
  if (value === null) remove(key)
  else write(key, value)
}

/** The kept code. Follows changes by other tabs. */
export function usePromoCode(): string | null {
  return useStored('promoCode')
}

/** Keeps the code of an address, if it has one. */
export function keepLinkedCode(search: string): void {
  const code = promoCodeOf(search)
  if (code) keepDated({ kind: 'linked', code, at: now() })
}

/** Keeps the default code, if there is no other. */
export function keepDefaultCode(): void {
  keepDated({ kind: 'defaulted', code: defaultCode, at: now() })
}

/**
 * By the visitor's own clock at first, because the page may be left before the product's time is
 * known.
 */
function keepDated(event: Extract<PromotionEvent, { kind: 'linked' | 'defaulted' }>): void {
  const before = readKeptPromotion()
  applyPromotion(event)
  if (event.kind === 'defaulted' && before.code) return
  const date = () => applyPromotion({ kind: 'dated', code: event.code, at: now() })
  loadConfig().then(date, date)
}

const now = (): string => serverNow().toISOString()
