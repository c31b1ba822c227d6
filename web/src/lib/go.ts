import { useCallback } from 'react'
import { useNavigate } from 'react-router-dom'
import { aliases, paths } from './paths'

/** Whether an address, without its query and hash, is one of this site's screens. */
export function isScreen(address: string): boolean {
  const pathname = address.replace(/[?#].*$/, '').replace(/(?<=.)\/+$/, '')
  const known: readonly string[] = [...Object.values(paths), ...Object.values(aliases).flat()]
  return known.includes(pathname)
}

/** /checkout has a content policy of its own, which only a full page load brings (design section 10). */
export function needsFullLoad(address: string): boolean {
  return address.replace(/[?#].*$/, '') === paths.checkout
}

/** Goes to an address of this site: in the app, or by a full page load where the screen needs one. */
export function useGo(): (address: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate()
  return useCallback(
    (address, { replace = false } = {}) => {
      if (!needsFullLoad(address)) void navigate(address, { replace })
      else if (replace) location.replace(address)
      else location.assign(address)
    },
    [navigate],
  )
}
