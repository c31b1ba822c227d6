import { type ComponentProps, type ComponentType, createContext, createElement, useContext } from 'react'

/** The address of the open page. */
export interface Address {
  pathname: string
  /** The query with its '?'; empty while a prerendered page hydrates. */
  search: string
}

/** Each area provides it: the site from the window, the app from its router. */
export const AddressContext = createContext<Address>({ pathname: '/', search: '' })

export const useAddress = () => useContext(AddressContext)

export type LinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  to: string
  /** Passed to the next page in the history entry; only within the app. */
  state?: object
}

/** How a link within the site opens its page: the site loads it, the app asks its router first. */
export const LinkContext = createContext<ComponentType<LinkProps>>(({ to, state: _, ...rest }: LinkProps) =>
  createElement('a', { ...rest, href: to }),
)
