import { useCallback } from 'react'
import { useNavigate } from 'react-router-dom'
import { paths } from './paths'

let answers: (address: string) => boolean = () => false

/** Told once by `app`, which has the route table: whether a screen answers an address. */
export function provideScreens(known: (address: string) => boolean): void {
  answers = known
}

/** Whether an address is one of this site's screens, and not one that is still to be built. */
export function isScreen(address: string): boolean {
  return answers(address)
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
