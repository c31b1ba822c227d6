import { createContext, useContext } from 'react'
import {
  navigate as change,
  usePathname as useBrowserPathname,
  useSearch as useBrowserSearch,
  useHistoryState,
  useLocationProperty,
} from 'wouter/use-browser-location'

/** The address that the build renders; in a browser the window has it. */
export const BuiltAddress = createContext<string | undefined>(undefined)

/** The path of the address; the component renders again when it changes. */
export function usePathname(): string {
  const ssrPath = useContext(BuiltAddress)
  return useBrowserPathname(ssrPath === undefined ? {} : { ssrPath })
}

/** The query of the address, with its '?'; a built page has none. */
export function useSearch(): string {
  return useBrowserSearch({ ssrSearch: '' })
}

/** The parameter of a query. */
export function useSearchParam(name: string): string | null {
  return new URLSearchParams(useSearch()).get(name)
}

/** The anchor that the address names, with its '#'. */
export function useHash(): string {
  return useLocationProperty(
    () => location.hash,
    () => '',
  )
}

/** The name of the history's entry; each navigation has a new one. */
export function useEntryKey(): string | undefined {
  return useLocationProperty(entryKey, () => undefined)
}

/** The name of the entry that the history is at. */
export function entryKey(): string | undefined {
  return (history.state as { key?: string } | null)?.key
}

/** The same. An entry of a page load, or of the browser's own way to an anchor, is named now. */
export function nameEntry(): string {
  const key = entryKey() ?? newKey()
  if (key !== entryKey()) history.replaceState({ ...history.state, key }, '')
  return key
}

function newKey(): string {
  return Math.random().toString(36)
}

/** What a link took along in the history's entry. */
export function useEntryState<State>(): Partial<State> {
  return useHistoryState<Partial<State> | null>() ?? {}
}

let travels = true
globalThis.addEventListener?.('popstate', () => {
  travels = true
})

/** Whether the address was come to through the history, or by the page's load, and not by `navigate`. */
export function isTravel(): boolean {
  return travels
}

/** Goes to an address of this site without a page load. */
export function navigate(to: string, { replace = false, state }: { replace?: boolean; state?: object } = {}) {
  travels = false
  change(to, { replace, state: { ...state, key: newKey() } })
}
