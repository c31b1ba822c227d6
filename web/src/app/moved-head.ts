import type { Route } from '../routes/routes'
import { descriptions } from '../texts/descriptions'

/**
 * What the build wrote into the head tells of the page that was loaded. Whoever moved on to another one within the app
 * (a redirect of /upsell to the plans, say) has that one's address and description there, and no 'noindex' of the first.
 */
export function tellHead(route: Route | null): void {
  const found = route?.render === 'prerendered' ? route : null
  put('meta', 'name', 'robots', 'content', found ? null : 'noindex')
  put('link', 'rel', 'canonical', 'href', found && `${location.origin}${found.path}`)
  put('meta', 'name', 'description', 'content', (found && descriptions[found.path]) ?? null)
}

/** The one element of this kind and name says the value; null takes it out. */
function put(tag: string, key: string, name: string, attribute: string, value: string | null): void {
  const stands = document.head.querySelector(`${tag}[${key}="${name}"]`)
  if (value === null) {
    stands?.remove()
    return
  }
  const element = stands ?? document.head.appendChild(document.createElement(tag))
  element.setAttribute(key, name)
  element.setAttribute(attribute, value)
}
