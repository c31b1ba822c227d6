import type { ComponentProps } from 'react'
import { useForm } from '../../../forms/use-form'
import { Dialog } from '../../../ui/dialog'
import { Form } from '../../../ui/form'

export interface DialogProps {
  open: boolean
  onClose: () => void
}

/** A dialog that is one form. */
export function FormDialog({
  open,
  ...form
}: ComponentProps<typeof Form> & DialogProps & { texts: { title: string; back: string } }) {
  return (
    <Dialog open={open} title={form.texts.title} onClose={form.onClose} locked={form.busy}>
      <Form {...form} />
    </Dialog>
  )
}

/** The form of a dialog, which closes after its call and forgets its error when it closes. */
export function useDialogForm<Name extends string>(onClose: () => void) {
  const { bound, clear, setError, field, send, release } = useForm<Name>()
  const close = () => {
    clear()
    onClose()
  }
  /** Closes after a call; the dialog may be opened again. */
  const done = () => {
    release()
    onClose()
  }
  return { dialog: { ...bound, onClose: close }, setError, field, send, done }
}
