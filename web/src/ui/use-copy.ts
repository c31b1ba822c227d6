import { useRef } from 'react'
import { useToasts } from '../lib/toasts'
import { copyRefused } from '../texts/site'

/** Copies a text and shows a toast. If the browser refuses, the `shown` text is selected. */
export function useCopy<Shown extends HTMLElement>(copied: string) {
  const { show } = useToasts()
  const shown = useRef<Shown>(null)
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      show({ kind: 'success', title: copied, about: 'copy' })
    } catch {
      if (shown.current) {
        getSelection()?.selectAllChildren(shown.current)
        // Out from under the toast, which stands at an edge of the window.
        shown.current.scrollIntoView({ block: 'center' })
      }
      show({ kind: 'info', ...copyRefused, about: 'copy' })
    }
  }
  return { shown, copy }
}
