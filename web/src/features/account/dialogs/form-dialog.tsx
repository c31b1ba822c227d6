import type { ComponentProps } from 'react'
import { Dialog } from '../../../ui/dialog'
import { Form } from '../../../ui/form'

/** A dialog that is one form. */
export function FormDialog({
  open,
  ...form
}: ComponentProps<typeof Form> & {
  open: boolean
  texts: { title: string; back: string }
  onClose: () => void
}) {
  return (
    <Dialog open={open} title={form.texts.title} onClose={form.onClose} locked={form.busy}>
      <Form {...form} />
    </Dialog>
  )
}
