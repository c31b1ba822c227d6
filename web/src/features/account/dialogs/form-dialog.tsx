import type { InputEventHandler, ReactNode, RefObject, SubmitEvent } from 'react'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import styles from '../settings.module.css'

type FormProps = {
  texts: { back: string; submit: string; submitting: string }
  ref: RefObject<HTMLFormElement | null>
  busy: boolean
  failure: string | null
  /** What the button does cannot be undone. */
  danger?: boolean
  /** A field that is typed in may be mended. */
  onInput: InputEventHandler<HTMLFormElement>
  onClose: () => void
  onSubmit: (data: FormData) => void
  children: ReactNode
}

/** A dialog that is one form. */
export function FormDialog({
  open,
  ...rest
}: FormProps & { open: boolean; texts: FormProps['texts'] & { title: string } }) {
  return (
    <Dialog open={open} title={rest.texts.title} onClose={rest.onClose} locked={rest.busy}>
      <DialogForm {...rest} />
    </Dialog>
  )
}

/** The form of a dialog: its fields, a failure that no field stands for, the way back and the one button. */
export function DialogForm({
  texts,
  ref,
  busy,
  failure,
  danger = false,
  onInput,
  onClose,
  onSubmit,
  children,
}: FormProps) {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <form ref={ref} className={styles.form} method="post" noValidate onSubmit={submit} onInput={onInput}>
      {children}
      {failure && (
        <p className={styles.failure} role="alert">
          {failure}
        </p>
      )}
      <div className={styles.dialogActions}>
        <Button variant="quiet" onClick={onClose} disabled={busy}>
          {texts.back}
        </Button>
        <Button type="submit" variant={danger ? 'danger' : 'primary'} busy={busy}>
          {busy ? texts.submitting : texts.submit}
        </Button>
      </div>
    </form>
  )
}
