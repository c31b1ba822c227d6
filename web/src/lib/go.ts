import type { MouseEvent } from 'react'
import { afterPaint } from './after-paint'
import { navigate } from './location'
import { paths } from './paths'

let answers: (address: string) => boolean = () => false

/** Told once by `app`, which has the route table: whether a screen answers an address. */
export function provideScreens(known: (address: string) => boolean): void {
  answers = known
}

/** Whether an address is one of this site's screens, and not one that is still to be built. */
export function isScreen(address: string): boolean {
  return answers(address)
}

/** Whether the document is a prerendered page: its content policy lets no photo of a profile in. */
const narrow = typeof document !== 'undefined' && document.getElementById('root')?.firstElementChild

/**
 * Screens with a content policy of their own, which only a full page load brings: the two with the provider's script
 * always, and from a marketing page the account, or the login on the way to it.
 */
function needsFullLoad(address: string): boolean {
  const path = address.replace(/[?#].*$/, '')
  const isPayment = path === paths.checkout || path === paths.confirmPayment
  return isPayment || (!!narrow && (path === paths.account || path === paths.login))
}

/** Goes to an address of this site: in the app, or by a full page load where the screen needs one. */
export function go(address: string, { replace = false } = {}): void {
  if (!needsFullLoad(address)) navigate(address, { replace })
  else if (replace) location.replace(address)
  else location.assign(address)
}

/** Follows a pressed link without a page load, unless its screen needs one or the press opens it elsewhere. */
export function follow(event: MouseEvent, link: HTMLAnchorElement, state?: object): void {
  const { defaultPrevented, button, metaKey, altKey, ctrlKey, shiftKey } = event
  if (defaultPrevented || button || metaKey || altKey || ctrlKey || shiftKey) return
  if (link.target || needsFullLoad(link.pathname)) return
  event.preventDefault()
  // The link shows at once that it was pressed: to take the old page away costs a slow phone 50 ms.
  link.dataset.followed = ''
  afterPaint(() => {
    delete link.dataset.followed
    // The same address once more is no step in the history.
    navigate(link.href, { replace: link.href === location.href, ...(state && { state }) })
  })
}
