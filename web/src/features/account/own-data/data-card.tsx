import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { planName } from '../../../catalog/plan-names'
import { useAction } from '../../../forms/use-action'
import { useForm } from '../../../forms/use-form'
import { fieldError } from '../../../forms/validation'
import { type PreviewMyDeletionResponse, UserService } from '../../../gen/garimpo/users/v1/user_service_pb'
import { writeTab } from '../../../lib/browser-storage'
import { formatDate, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { paths } from '../../../lib/paths'
import { useSession } from '../../../session/session'
import { deletion, deletionError } from '../../../texts/account-dialogs'
import { exportError, ownData as texts } from '../../../texts/account-settings'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import styles from '../account.module.css'
import { type DialogProps, DialogWait, useDialogRead } from '../dialogs/form-dialog'
import { Fold } from '../fold'
import settings from '../settings.module.css'

/** Download of all data and deletion of the account (LGPD, article 18). */
export function DataCard({ email }: { email: string }) {
  const [removing, setRemoving] = useState(false)
  const { busy, run } = useAction(
    'export',
    async () => {
      const { json } = await call(({ users }) => users.exportMyData({}))
      saveFile(texts.file, 'application/json', json)
      return { title: texts.downloaded }
    },
    exportError,
  )
  return (
    <Fold label={texts.title}>
      <p className="quiet">{texts.lead}</p>
      <div className={styles.deeds}>
        <Button variant="secondary" size="sm" busy={busy} onClick={run}>
          {busy ? texts.downloading : texts.download}
        </Button>
        <Button variant="quiet" size="sm" className={styles.minor} onClick={() => setRemoving(true)}>
          {texts.remove}
        </Button>
      </div>
      {removing && <DeleteDialog email={email} onClose={() => setRemoving(false)} />}
    </Fold>
  )
}

/** Deletes the account: it lists the losses first, then requires the password. */
function DeleteDialog({ email, onClose }: DialogProps & { email: string }) {
  const { answer, isFailed, refetch } = useDialogRead(UserService.method.previewMyDeletion, {})
  const { signOut } = useSession()
  const navigate = useNavigate()
  const { bound, field } = useForm<'password'>({
    check: (typed) => (typed('password') === '' ? fieldError('password', deletion.errors.missing) : null),
    send: async (typed) => {
      await signOut(paths.accountDeleted, async ({ users }) => {
        const { protocol } = await users.deleteMyAccount({ password: typed('password') })
        writeTab('deletionProtocol', protocol)
      })
      navigate(paths.accountDeleted, { replace: true })
    },
    explain: (cause) => deletionError(reasonOf(cause)),
  })
  const { ref: form } = bound
  const isRead = answer !== undefined
  // The form replaced the focused element.
  useEffect(() => {
    if (isRead) form.current?.querySelector('input')?.focus({ preventScroll: true })
  }, [isRead, form])

  return (
    <Dialog title={deletion.title} onClose={onClose} locked={bound.busy}>
      {answer ? (
        <Form texts={deletion} {...bound} onClose={onClose} danger>
          <p>{deletion.lead}</p>
          <ul className={settings.losses}>
            {lossesOf(answer, email).map((loss) => (
              <li key={loss}>{loss}</li>
            ))}
          </ul>
          <Field label={deletion.password} name="password" type="password" {...field('password')} />
        </Form>
      ) : (
        <DialogWait failed={isFailed} texts={deletion} onBack={onClose} onRetry={refetch} />
      )}
    </Dialog>
  )
}

/** Every loss and what comes back, one sentence each. */
function lossesOf(losses: PreviewMyDeletionResponse, email: string): string[] {
  const paidUntil = toDate(losses.paidUntil)
  const { refundCentavos: back, refundPixCentavos: byPix } = losses
  return [
    deletion.always,
    losses.planId && deletion.plan(planName(losses.planId)),
    paidUntil && deletion.paidUntil(formatDate(paidUntil)),
    back > byPix && deletion.refundCard(formatCentavos(back - byPix)),
    byPix > 0n && deletion.refundPix(formatCentavos(byPix), email),
    losses.planId && back === 0n && deletion.noRefund,
    losses.voidsBoleto && deletion.boleto,
    deletion.kept,
    deletion.trial,
  ].filter((loss) => typeof loss === 'string' && loss !== '') as string[]
}

/** Hands the visitor a text as a file of their own. */
function saveFile(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }))
  Object.assign(document.createElement('a'), { href, download: name }).click()
  URL.revokeObjectURL(href)
}
