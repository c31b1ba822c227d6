import { useForm } from '../../../forms/use-form'

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
