import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { checkNewPassword, learnPasswordRules, missingFields } from '../../../forms/validation'
import { useToasts } from '../../../lib/toasts'
import {
  type PasswordField,
  passwordChangeError,
  passwordForm as texts,
} from '../../../texts/account-dialogs'
import { login } from '../../../texts/login'
import { NewPasswordFields } from '../../../ui/chosen-password-field'
import { Field } from '../../../ui/field'
import type { Typed } from '../../../ui/form'
import { type DialogProps, FormDialog, useDialogForm } from '../dialogs/form-dialog'

/** The password of now, and another one typed twice; the other devices leave. */
export function PasswordDialog({ open, onClose, onChanged }: DialogProps & { onChanged: () => void }) {
  const { show } = useToasts()
  const { dialog, setError, field, send, done } = useDialogForm<PasswordField>(onClose)

  const change = async (typed: Typed) => {
    const current = typed('current')
    const password = typed('password')
    const wrong = checkNewPassword({ password, repeated: typed('repeated') })
    if (current === '') {
      const missing: PasswordField[] = ['current', ...(wrong?.kind === 'required' ? wrong.marked : [])]
      return setError(missingFields(missing, login.missing))
    }
    if (wrong) return setError(wrong)
    const sent = await send(
      () => call(({ auth }) => auth.changePassword({ currentPassword: current, newPassword: password })),
      (cause) => passwordChangeError(reasonOf(cause), learnPasswordRules(cause)),
    )
    if (!sent) return
    show({ kind: 'success', title: texts.changed, description: texts.changedText })
    done()
    onChanged()
  }

  return (
    <FormDialog open={open} texts={texts} {...dialog} onSubmit={change}>
      <p className="quiet">{texts.lead}</p>
      <Field label={texts.current} name="current" type="password" {...field('current')} />
      <NewPasswordFields texts={{ password: texts.next, repeated: texts.repeated }} field={field} />
    </FormDialog>
  )
}
