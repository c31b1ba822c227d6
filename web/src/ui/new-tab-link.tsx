import type { ComponentProps } from 'react'
import { newTab } from '../texts/site'
import { ButtonLink } from './button'

/** A link that looks like a button and says to screen readers that it opens another tab. */
export function NewTabLink({
  children,
  ...link
}: Omit<Extract<ComponentProps<typeof ButtonLink>, { to?: never }>, 'target' | 'rel' | 'children'> & {
  children: string
}) {
  return (
    <ButtonLink target="_blank" rel="noopener" {...link}>
      <span>{children}</span> <span className="visually-hidden">{newTab}</span>
    </ButtonLink>
  )
}
