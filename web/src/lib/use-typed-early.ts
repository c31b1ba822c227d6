import { type RefObject, useEffectEvent, useLayoutEffect, useRef } from 'react'

/**
 * Hands over what was typed in a field of a built page before it was hydrated: React does not hear
 * it, and sets a field whose value it keeps back to that. A field that has the focus counts as
 * typed in, so that nothing is filled in between two keys. Returns the ref of the input.
 */
export function useTypedEarly(take: (typed: string) => void): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null)
  const takeEarly = useEffectEvent(take)
  useLayoutEffect(() => {
    const field = input.current
    if (field && (field.value !== field.defaultValue || field === document.activeElement))
      takeEarly(field.value)
  }, [])
  return input
}
