import type { ComponentProps } from 'react'
import { follow } from '../lib/go'

/** A link within the site, followed without a page load where its screen needs none. */
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
        follow(event, event.currentTarget, state)
      }}
    />
  )
}
