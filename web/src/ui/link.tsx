import type { ComponentProps } from 'react'
import { type To, useHref, useLinkClickHandler } from 'react-router-dom'
import { needsFullLoad } from '../lib/go'

/**
 * A link within the site. The router's own Link carries the prefetching of its framework mode (2 KB) into
 * every page; this one has what we use. Links to screens that need a full page load are left to the browser.
 */
export function Link({
  to,
  state,
  onClick,
  ...rest
}: Omit<ComponentProps<'a'>, 'href'> & {
  to: To
  /** Taken along in the history entry. */
  state?: unknown
}) {
  const href = useHref(to)
  const follow = useLinkClickHandler<HTMLAnchorElement>(to, { state })
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event)
        if (!event.defaultPrevented && !needsFullLoad(href)) follow(event)
      }}
    />
  )
}
