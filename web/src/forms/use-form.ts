import { type InputEvent, useEffect, useRef, useState } from 'react'
import { useToasts } from '../lib/toasts'
import { type FormError, fieldError, together } from './validation'

/** What every toast of a form is about. */
const FORM = 'form'

/** Why a call failed, and the field that it is about, if any. */
interface Explained<Name extends string> {
  text: string
  field: Name | null
}

/**
 * A form: one call at a time, and its error, shown in a toast and beside its field. That field
 * takes the focus, or `fallback` if the error names none. The toast may have a `title` over the
 * error. In a dialog no toast appears: it would cover it.
 */
export function useForm<Name extends string>(fallback: Name | null = null, title?: string) {
  const { show: showToast, closeAbout } = useToasts()
  const [error, show] = useState<FormError<Name> | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const { busy, isBusy, setBusy } = useBusy()

  // An error says nothing about the page that follows.
  const hasError = error !== null
  useEffect(() => {
    if (!hasError) return
    return () => closeAbout(FORM)
  }, [hasError, closeAbout])

  const setError = (refusal: FormError<Name>) => {
    show(refusal)
    const words = title ? { title, description: refusal.message } : { title: refusal.message }
    if (!form.current?.closest('dialog')) showToast({ kind: 'error', ...words, about: FORM })
    const name = refusal.field ?? fallback
    if (name) form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)?.focus()
  }
  /** Clears the error, here and on the page that follows. */
  const clear = () => {
    show(null)
    closeAbout(FORM)
  }
  /**
   * Typing in an invalid field clears its error. A 'required' error moves to the next empty field.
   */
  const onInput = ({ target }: InputEvent<HTMLFormElement>) => {
    const { name, value } = target as HTMLInputElement
    const others = error?.others?.filter(({ field }) => field !== name)
    const showOthers = () => {
      show(together(others ?? []))
      closeAbout(FORM)
    }
    if (!error?.marked.some((marked) => marked === name)) {
      if (error && others?.length !== error.others?.length) show({ ...error, others })
      return
    }
    if (error.kind !== 'required') return showOthers()
    if (value.trim() === '') return
    const marked = error.marked.filter((other) => other !== name)
    if (marked[0]) show({ ...error, field: marked[0], marked, others })
    else showOthers()
  }
  /**
   * Calls `act` unless a call is running; returns whether it succeeded. After success the form
   * stays busy, because most pages leave then: `release` frees it. `explain` returns null if the
   * error is shown elsewhere.
   */
  const send = async (
    act: () => Promise<unknown>,
    explain: (cause: unknown) => Explained<Name> | null,
  ): Promise<boolean> => {
    if (isBusy()) return false
    clear()
    setBusy(true)
    try {
      await act()
      return true
    } catch (cause) {
      setBusy(false)
      const explained = explain(cause)
      if (!explained) return false
      const { text, field } = explained
      setError(field ? fieldError(field, text) : { message: text, field: null, marked: [] })
      return false
    }
  }
  /** Props of a field. Each empty one has the error of all. */
  const field = (name: Name) => ({
    error:
      [error, ...(error?.others ?? [])].find((one) =>
        one?.kind === 'required' ? one.marked.includes(name) : one?.field === name,
      )?.message ?? null,
    'aria-invalid': error?.marked.includes(name) || undefined,
  })
  const failure = error?.field === null ? error.message : null
  return {
    /** Props of the form element. */
    bound: { ref: form, busy, failure, onInput },
    clear,
    setError,
    field,
    send,
    release: () => setBusy(false),
  }
}

/**
 * Whether a form is being sent. `busy` is for rendering; `isBusy` changes before the next render,
 * so that two submits in one tick send one call.
 */
function useBusy() {
  const now = useRef(false)
  const [busy, show] = useState(false)
  const setBusy = (next: boolean) => {
    now.current = next
    show(next)
  }
  const isBusy = () => now.current
  return { busy, isBusy, setBusy }
}
