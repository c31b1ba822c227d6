/** Durations, with the unit in the name. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The free trial, from the account's creation. */
export const TRIAL_MS = 7 * DAY_MS
/** How long the selection and the offers of /upsell are reserved. */
export const UPSELL_HOLD_MS = 15 * MINUTE_MS
/** 'Você já tem uma assinatura ativa!' stays this long. */
export const ACTIVE_SUBSCRIPTION_TOAST_MS = 8 * SECOND_MS
/** Any other toast. */
export const TOAST_MS = 6 * SECOND_MS
/** How often the checkout tab is looked at. */
export const CHECKOUT_POLL_MS = 3 * SECOND_MS
/** The checkout window closes itself this long after success. */
export const CHECKOUT_CLOSE_MS = 3 * SECOND_MS
/** The solutions carousel moves on by itself. */
export const SOLUTIONS_CAROUSEL_MS = 15 * SECOND_MS
/** The partner stores move on by themselves. */
export const PARTNERS_CAROUSEL_MS = 3 * SECOND_MS
/** /checkout-return offers 'Ver minha conta' after this long without an answer. */
export const SLOW_RETURN_MS = 10 * SECOND_MS
/** A photo's address is looked at once its typing rests for this long. */
export const PHOTO_PREVIEW_MS = 600
/** A call to our own services is given up after this long. */
export const RPC_TIMEOUT_MS = 15 * SECOND_MS
/** A call within which the provider moves money or ends something waits this long. */
export const CHARGE_TIMEOUT_MS = 40 * SECOND_MS

/** Aborts after this long, as `AbortSignal.timeout` does, which Safari lacks before version 16. */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller.signal
}

/** Comes after this long. */
export const after = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
