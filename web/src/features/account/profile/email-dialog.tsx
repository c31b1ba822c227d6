import { useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { fieldError, isEmail, missingFields } from '../../../forms/validation'
import { useToasts } from '../../../lib/toasts'
import { useSession } from '../../../session/session'
import { type EmailFormField, emailCorrectionError, emailForm as texts } from '../../../texts/account-dialogs'
import { login } from '../../../texts/login'
import { signUp } from '../../../texts/sign-up'
import { EmailWithHint } from '../../../ui/email-with-hint'
import { Field } from '../../../ui/field'
import type { Typed } from '../../../ui/form'
import { type DialogProps, FormDialog, useDialogForm } from '../dialogs/form-dialog'
import type { Profile } from '../use-account'

/** Another email for an unconfirmed account. `onSaved` reads the account again. */
export function EmailDialog({
  profile,
  open,
  onClose,
  onSaved,
}: DialogProps & { profile: Profile; onSaved: () => void }) {
  const { show } = useToasts()
  const { recheck } = useSession()
  const [email, setEmail] = useState(profile.email)
  const { dialog, setError, field, send, done } = useDialogForm<EmailFormField>(onClose)

  const correct = async (typed: Typed) => {
    const password = typed('password')
    const missing = (['email', 'password'] as const).filter((name) => typed(name).trim() === '')
    if (missing.length > 0) return setError(missingFields(missing, login.missing))
    if (!isEmail(email)) return setError(fieldError('email', signUp.errors.email))
    const sent = await send(
      () => call(({ auth }) => auth.correctEmail({ newEmail: email, password })),
      (cause) => emailCorrectionError(reasonOf(cause)),
    )
    if (!sent) return
    await recheck()
    show({ kind: 'success', title: texts.saved, description: texts.savedText(email.trim().toLowerCase()) })
    done()
    onSaved()
  }

  return (
    <FormDialog open={open} texts={texts} {...dialog} onSubmit={correct}>
      <p className="quiet">{texts.lead}</p>
      <EmailWithHint
        label={texts.email}
        autoComplete="email"
        value={email}
        onType={setEmail}
        {...field('email')}
      />
      <Field
        label={texts.password}
        name="password"
        type="password"
        autoComplete="current-password"
        {...field('password')}
      />
    </FormDialog>
  )
}
