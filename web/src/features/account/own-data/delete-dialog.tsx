import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { reasonOf } from '../../../api/app-error'
import { planName } from '../../../catalog/plan-names'
import { fieldError } from '../../../forms/validation'
import { type PreviewMyDeletionResponse, UserService } from '../../../gen/garimpo/users/v1/user_service_pb'
import { writeTab } from '../../../lib/browser-storage'
import { formatDate, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { useSession } from '../../../session/session'
import { deletionError, deletion as texts } from '../../../texts/account-dialogs'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form, type Typed } from '../../../ui/form'
import { DialogWait } from '../dialogs/dialog-wait'
import { type DialogProps, useDialogForm } from '../dialogs/form-dialog'
import { useDialogRead } from '../dialogs/use-dialog-read'
import styles from '../settings.module.css'

/** The end of the account: what is lost is read and said first, then the password is asked. */
export function DeleteDialog({ open, email, onClose }: DialogProps & { email: string }) {
  const { answer, isFailed, again } = useDialogRead(open, UserService.method.previewMyDeletion, {})
  const { signOut } = useSession()
  const navigate = useNavigate()
  const { dialog, setError, field, send } = useDialogForm<'password'>(onClose)
  const { ref: form } = dialog
  const isRead = answer !== undefined
  // What had the focus is gone: the form took its place.
  useEffect(() => {
    if (isRead) form.current?.querySelector('input')?.focus({ preventScroll: true })
  }, [isRead, form])

  const remove = async (typed: Typed) => {
    const password = typed('password')
    if (password === '') return setError(fieldError('password', texts.errors.missing))
    const sent = await send(
      () =>
        signOut(paths.accountDeleted, async ({ users }) => {
          const { protocol } = await users.deleteMyAccount({ password })
          writeTab('deletionProtocol', protocol)
        }),
      (cause) => deletionError(reasonOf(cause)),
    )
    // It stays busy on the way.
    if (sent) navigate(paths.accountDeleted, { replace: true })
  }

  return (
    <Dialog open={open} title={texts.title} onClose={dialog.onClose} locked={dialog.busy}>
      {answer ? (
        <Form texts={texts} {...dialog} danger onSubmit={remove}>
          <p>{texts.lead}</p>
          <ul className={styles.losses}>
            {lossesOf(answer, email).map((loss) => (
              <li key={loss}>{loss}</li>
            ))}
          </ul>
          <Field label={texts.password} name="password" type="password" {...field('password')} />
        </Form>
      ) : (
        <DialogWait failed={isFailed} texts={texts} onBack={dialog.onClose} onRetry={again} />
      )}
    </Dialog>
  )
}

/** Every loss and what comes back, one sentence each. */
function lossesOf(losses: PreviewMyDeletionResponse, email: string): string[] {
  const paidUntil = toDate(losses.paidUntil)
  const { refundCentavos: back, refundPixCentavos: byPix } = losses
  return [
    texts.always,
    losses.planId && texts.plan(planName(losses.planId)),
    paidUntil && texts.paidUntil(formatDate(paidUntil)),
    back > byPix && texts.refundCard(formatCentavos(back - byPix)),
    byPix > 0n && texts.refundPix(formatCentavos(byPix), email),
    losses.planId && back === 0n && texts.noRefund,
    losses.voidsBoleto && texts.boleto,
    texts.kept,
    texts.trial,
  ].filter((loss) => typeof loss === 'string' && loss !== '') as string[]
}
