import { useBusy } from '../../../forms/use-busy'
import { useRefusal } from '../../../forms/use-refusal'
import { at } from '../../../forms/validation'

/** Why a call was refused, and the field that it is about, if any. */
interface Told<Name extends string> {
  text: string
  field: Name | null
}

/** The form of a dialog: what it was refused for, one call at a time, and the way out, which forgets the refusal. */
export function useDialogForm<Name extends string>(onClose: () => void) {
  const { form, error, accept, refuse, mend, errorAt, invalid } = useRefusal<Name>()
  const { busy, isBusy, setBusy } = useBusy()
  const close = () => {
    accept()
    onClose()
  }
  /** Sends, unless it is being sent; answers whether that went well. What `act` did not lead away from is free again. */
  const send = async (
    act: () => Promise<unknown>,
    tell: (cause: unknown) => Told<Name>,
  ): Promise<boolean> => {
    if (isBusy()) return false
    accept()
    setBusy(true)
    try {
      await act()
      return true
    } catch (cause) {
      setBusy(false)
      const { text, field } = tell(cause)
      refuse(field ? at(field, text) : { message: text, field: null, marked: [] })
      return false
    }
  }
  /** Closes after what was sent; the dialog may be opened again. */
  const done = () => {
    setBusy(false)
    onClose()
  }
  const failure = error?.field === null ? error.message : null
  return {
    dialog: { form, busy, failure, onInput: mend, onClose: close },
    refuse,
    errorAt,
    invalid,
    send,
    done,
  }
}
