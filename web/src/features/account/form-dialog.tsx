import type { ReactNode, RefObject, SubmitEvent } from 'react'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import styles from './settings.module.css'

/** A form in a dialog: its fields, a failure that no field stands for, the way back and the one button. */
export function FormDialog({
  open,
  texts,
  form,
  busy,
  failure,
  danger = false,
  onClose,
  onSubmit,
  children,
}: {
  open: boolean
  texts: { title: string; back: string; submit: string; submitting: string }
  form: RefObject<HTMLFormElement | null>
  busy: boolean
  failure: string | null
  /** What the button does cannot be undone. */
  danger?: boolean
  onClose: () => void
  onSubmit: (data: FormData) => void
  children: ReactNode
}) {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog open={open} title={texts.title} onClose={onClose} locked={busy}>
      <form ref={form} className={styles.form} method="post" noValidate onSubmit={submit}>
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
    </Dialog>
  )
}
