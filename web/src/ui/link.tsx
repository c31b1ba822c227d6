import type { ComponentProps, MouseEvent } from 'react'
import { needsFullLoad } from '../lib/go'
import { navigate } from '../lib/location'

/**
 * A link within the site, followed without a page load. Links to screens that need a full page load are left to the
 * browser, and so is whatever is pressed to open elsewhere.
 */
export function Link({
  to,
  state,
  onClick,
  ...rest
}: Omit<ComponentProps<'a'>, 'href'> & {
  to: string
  /** Taken along in the history entry. */
  state?: object
}) {
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        onClick?.(event)
        if (event.defaultPrevented || opensElsewhere(event) || needsFullLoad(to)) return
        event.preventDefault()
        // The same address once more is no step in the history.
        const replace = event.currentTarget.href === location.href
        navigate(to, { replace, ...(state && { state }) })
      }}
    />
  )
}

function opensElsewhere(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { target } = event.currentTarget
  const isModified = event.metaKey || event.altKey || event.ctrlKey || event.shiftKey
  return event.button !== 0 || isModified || (target !== '' && target !== '_self')
}
