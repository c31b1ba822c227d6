import { useContext } from 'react'
import { LinkContext, type LinkProps } from '../lib/area'

/** A link within the site. */
export function Link(props: LinkProps) {
  const AreaLink = useContext(LinkContext)
  return <AreaLink {...props} />
}
