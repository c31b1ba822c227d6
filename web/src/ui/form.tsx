import type { ComponentProps } from 'react'
import type { Typed } from '../forms/use-form'
import type { Elements } from '../lib/elements'
import { useIsHydrating } from '../lib/use-is-hydrating'
import { Button } from './button'
import { Failure } from './failure'
import styles from './form.module.css'

/**
 * A form: its fields, a failure that belongs to no field, and its one button. In a dialog, which
 * `onClose` closes, it has a button back too.
 */
export function Form({
  texts,
  busy,
  failure = null,
  danger = false,
  note,
  footer = styles.foot,
  onClose,
  onSubmit,
  children,
  ...form
}: Omit<ComponentProps<'form'>, 'onSubmit' | 'children'> & {
  children?: Elements
  texts: { submit: string; submitting: string; back?: string }
  busy: boolean
  failure?: string | null
  /** The action cannot be undone. */
  danger?: boolean
  /** Under the button. */
  note?: Elements
  /** The class of its end. */
  footer?: string | undefined
  onClose?: () => void
  onSubmit: (typed: Typed) => void
}) {
  // A built page is not sent before its scripts are there (scripts/frame.js).
  const isHydrating = useIsHydrating()
  const submit = (
    <Button
      type="submit"
      disabled={isHydrating}
      variant={danger ? 'danger' : 'primary'}
      size={onClose ? 'md' : 'lg'}
      wide={!onClose}
      busy={busy}
    >
      {busy ? texts.submitting : texts.submit}
    </Button>
  )
  return (
    <form
      className={styles.form}
      method="post"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(typedIn(event.currentTarget))
      }}
      {...form}
    >
      {children}
      <div className={footer}>
        {/* On a page a toast announces it as well. */}
        {failure && <Failure role={onClose && 'alert'}>{failure}</Failure>}
        {onClose ? (
          <div className={styles.actions}>
            <Button variant="quiet" onClick={onClose} disabled={busy}>
              {texts.back}
            </Button>
            {submit}
          </div>
        ) : (
          submit
        )}
      </div>
      {note}
    </form>
  )
}

export function typedIn(form: HTMLFormElement): Typed {
  const data = new FormData(form)
  return (name) => String(data.get(name) ?? '')
}
