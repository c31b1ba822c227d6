import { type InputEvent, useRef, useState } from 'react'
import { useToasts } from '../lib/toasts'
import type { FormError } from './validation'

/** What every toast of a form is about. */
const FORM = 'form'

/**
 * What a form was refused for: said in the toast and beside the field, which takes the focus (or `fallback`, where none
 * is named). A dialog says it itself; a toast would lie over it.
 */
export function useRefusal<Name extends string>(fallback: Name | null = null) {
  const { show, closeAbout } = useToasts()
  const [error, setError] = useState<FormError<Name> | null>(null)
  const form = useRef<HTMLFormElement>(null)

  const refuse = (refusal: FormError<Name>) => {
    setError(refusal)
    if (!form.current?.closest('dialog')) show({ kind: 'error', title: refusal.message, about: FORM })
    const name = refusal.field ?? fallback
    if (name) form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus()
  }
  /** What was refused before is mended: nothing says it any more, here or on the page that follows. */
  const accept = () => {
    setError(null)
    closeAbout(FORM)
  }
  /** What is typed in a marked field may mend it; what every marked one lacks stays said, at the next of them. */
  const mend = ({ target }: InputEvent<HTMLFormElement>) => {
    const { name, value } = target as HTMLInputElement
    if (!error?.marked.some((marked) => marked === name)) return
    if (!error.lack) return accept()
    if (value.trim() === '') return
    const marked = error.marked.filter((other) => other !== name)
    if (marked[0]) setError({ ...error, field: marked[0], marked })
    else accept()
  }
  const errorAt = (name: Name) => (error?.field === name ? error.message : null)
  const invalid = (name: Name) => error?.marked.includes(name) || undefined
  return { form, error, accept, refuse, mend, errorAt, invalid }
}
