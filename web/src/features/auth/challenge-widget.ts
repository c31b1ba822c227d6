import { AppError } from '../../api/app-error'
import { loadScript } from '../../lib/load-script'
import { aliases, paths } from '../../lib/paths'

/** A challenge that a refused call asks for. Each refusal asks for another one. */
export interface AskedChallenge {
  /** The name of the provider's API in the page: `turnstile` or `hcaptcha`. */
  provider: string
  siteKey: string
  scriptUrl: string
  /** `first`: the call carried no response. `refused`: its response did not count. */
  because: 'first' | 'refused'
}

/** The challenge that a failed call asks for; null if it asks for none. */
export function askedBy(cause: unknown, response: string): AskedChallenge | null {
  if (!(cause instanceof AppError) || cause.reason !== 'CHALLENGE_REQUIRED') return null
  const { provider = '', site_key: siteKey = '', script_url: scriptUrl = '' } = cause.metadata
  return { provider, siteKey, scriptUrl, because: response ? 'refused' : 'first' }
}

/** The API that Turnstile and hCaptcha share. */
interface Api {
  render: (place: HTMLElement, options: object) => string
  remove: (id: string) => void
}

/** Both providers' widgets are 300 px wide, with a border. */
const WIDTH_PX = 304

/** Shows a challenge in its place; returns how to remove it. */
export function showChallenge(
  { provider, siteKey, scriptUrl }: AskedChallenge,
  place: HTMLElement,
  { solve, expire, fail }: { solve: (response: string) => void; expire: () => void; fail: () => void },
): () => void {
  let isGone = false
  let remove: () => void = () => undefined
  const show = () => {
    if (isGone) return
    const api = (globalThis as unknown as Record<string, Api | undefined>)[provider]
    if (!api) throw new Error(`${scriptUrl} has no ${provider}`)
    const id = api.render(place, {
      sitekey: siteKey,
      size: place.clientWidth < WIDTH_PX ? 'compact' : 'normal',
      callback: solve,
      'expired-callback': expire,
      'error-callback': fail,
    })
    remove = () => api.remove(id)
  }
  loadScript(scriptUrl)
    .then(show)
    .catch(() => isGone || fail())
  return () => {
    isGone = true
    remove()
  }
}

/**
 * Reloads the page if the document was loaded at another address: only the policy of this one
 * allows the script of a challenge. Returns whether it does.
 */
export function reloadForPolicy(): boolean {
  const [load] = performance.getEntriesByType('navigation')
  const loaded = load && new URL(load.name).pathname.replace(/\/$/, '')
  if (!loaded || [paths.signUp, ...aliases[paths.signUp]].some((path) => path === loaded)) return false
  location.reload()
  return true
}
