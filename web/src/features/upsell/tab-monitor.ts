import { type Outcome, resultPath } from '../../lib/checkout-outcome'
import { type Path, paths } from '../../lib/paths'

/**
 * State machine of the checkout tab: it takes sightings and responses and returns the next state.
 * Every end calls GetCheckoutSession first.
 */
type Sighting =
  /** Still on /checkout, or not there yet. */
  | 'at-checkout'
  /** Closed; also once the tab shows another page of ours, because COOP cuts the tie. */
  | 'closed'
  /** A readable address that is not /checkout. */
  | 'left'
  /** Another origin, which hides its address: the provider's boleto page. */
  | 'unreadable'

/** How watching ended, before the server was asked. */
export type End = Exclude<Sighting, 'at-checkout'> | 'succeeded' | 'given-up'

export type Monitor =
  | { kind: 'watching' }
  | { kind: 'asking'; end: End; attempt: number }
  /** The server did not reply, and no checkout of the tab is known. */
  | { kind: 'offline' }
  /** `path` null: the visitor gave up and nothing was bought, so the offers stay where they are. */
  | { kind: 'ended'; path: Path | null; finished: boolean }

export type Happening =
  | { kind: 'seen'; sighting: Sighting }
  /** The tab posted 'checkout_succeeded'. */
  | { kind: 'succeeded' }
  /** 'Cancelar' on the overlay. */
  | { kind: 'given-up' }
  /** The server's word. */
  | { kind: 'answered'; outcome: Outcome }
  /** The server did not reply. `hasSession`: a checkout of the tab is known. */
  | { kind: 'unanswered'; hasSession: boolean }

/** After this many failed calls the last sighting of the tab decides. */
const ATTEMPTS = 3

export const watching: Monitor = { kind: 'watching' }

export function next(state: Monitor, happening: Happening): Monitor {
  if (state.kind === 'ended') return state
  switch (happening.kind) {
    case 'seen':
      if (state.kind !== 'watching' || happening.sighting === 'at-checkout') return state
      return { kind: 'asking', end: happening.sighting, attempt: 1 }
    case 'succeeded':
    case 'given-up':
      if (state.kind === 'offline' && happening.kind === 'given-up') return ended('given-up', null)
      return { kind: 'asking', end: happening.kind, attempt: 1 }
    case 'answered':
      return state.kind === 'asking' ? ended(state.end, happening.outcome) : state
    case 'unanswered':
      if (state.kind !== 'asking') return state
      if (state.attempt < ATTEMPTS) return { ...state, attempt: state.attempt + 1 }
      // A tab that never loaded looks like the provider's page.
      if (!happening.hasSession && state.end !== 'succeeded' && state.end !== 'given-up')
        return { kind: 'offline' }
      return ended(state.end, null)
  }
}

function ended(end: End, outcome: Outcome | null): Monitor {
  const result = resultPath(outcome)
  // A finished checkout is counted for a purchase, an unreadable address and a message of success.
  if (result) return { kind: 'ended', path: result, finished: true }
  return {
    kind: 'ended',
    path: WITHOUT_THE_SERVER[end],
    finished: end === 'unreadable' || end === 'succeeded',
  }
}

const WITHOUT_THE_SERVER: Record<End, Path | null> = {
  closed: paths.paymentCanceled,
  left: paths.paymentCanceled,
  unreadable: paths.paymentAwaited,
  succeeded: paths.paymentSuccess,
  'given-up': null,
}

/** What a look at the tab shows. `tab` is a Window of which nothing may be readable. */
export function look(
  tab: { readonly closed: boolean; readonly location: { readonly href: string } },
  origin: string,
): Sighting {
  if (tab.closed) return 'closed'
  let address: string
  try {
    address = tab.location.href
  } catch {
    return 'unreadable'
  }
  // A tab that has just been opened is about:blank until its first answer arrives.
  if (address === 'about:blank') return 'at-checkout'
  const { origin: there, pathname } = new URL(address)
  return there === origin && pathname.replace(/\/+$/, '') === paths.checkout ? 'at-checkout' : 'left'
}
