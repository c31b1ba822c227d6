import { useMutation } from '@tanstack/react-query'
import { type InputEvent, useEffect, useRef, useState } from 'react'
import { useToasts } from '../lib/toasts'
import { type FormError, fieldError, together } from './validation'

/** The typed value of a field, by its name. */
export type Typed = (name: string) => string

/** Subject of every toast of a form. */
const FORM = 'form'

/** Why a call failed, and the field that it is about, if any. */
interface Explained<Name extends string> {
  text: string
  field: Name | null
}

/**
 * A form: `check` finds what is wrong with the typed values, `send` makes the call, and `explain`
 * gives the error of a failed one, null if it is shown elsewhere. After success the form stays
 * busy, because its page or dialog closes then. An error is shown in a toast and beside its field.
 * That field takes the focus, or `fallback` if the error names none. The toast may have a `title`
 * over the error. In a dialog no toast appears: it would cover it.
 */
export function useForm<Name extends string>({
  check,
  send,
  explain,
  fallback = null,
  title,
}: {
  check?: (typed: Typed) => FormError<Name> | null
  send: (typed: Typed) => Promise<unknown>
  explain: (cause: unknown) => Explained<Name> | null
  fallback?: Name | null
  title?: string
}) {
  const { show: showToast, closeAbout } = useToasts()
  const [error, show] = useState<FormError<Name> | null>(null)
  const form = useRef<HTMLFormElement>(null)
  // Two submits in one tick come before the next render.
  const isRunning = useRef(false)
  const { status, mutate } = useMutation({
    mutationFn: send,
    // A password must not stay in the cache of mutations.
    gcTime: 0,
    onError: (cause) => {
      isRunning.current = false
      const explained = explain(cause)
      if (!explained) return
      const { text, field } = explained
      setError(field ? fieldError(field, text) : { message: text, field: null, marked: [] })
    },
  })
  const busy = status === 'pending' || status === 'success'

  // An error does not concern the page that follows.
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
  const onSubmit = (typed: Typed) => {
    const wrong = check?.(typed)
    if (wrong) return setError(wrong)
    if (isRunning.current) return
    isRunning.current = true
    show(null)
    closeAbout(FORM)
    mutate(typed)
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
  /** `bound`: props of the form element. */
  return { bound: { ref: form, busy, failure, onInput, onSubmit }, field }
}
