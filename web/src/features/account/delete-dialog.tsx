import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { reasonOf } from '../../api/app-error'
import { call } from '../../api/call'
import { queryClient } from '../../api/query-client'
import type { PreviewMyDeletionResponse } from '../../gen/garimpo/users/v1/user_service_pb'
import { writeTab } from '../../lib/browser-storage'
import { formatDate, toDate } from '../../lib/dates'
import { go } from '../../lib/go'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { planName } from '../../lib/plan-names'
import { useSession } from '../../lib/session'
import { at } from '../../lib/validation'
import { deletionError, ownData } from '../../texts/account-settings'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Spinner } from '../../ui/spinner'
import { DialogForm } from './form-dialog'
import styles from './settings.module.css'
import { useDialogForm } from './use-dialog-form'

const texts = ownData.dialog

type Preview = { kind: 'loading' } | { kind: 'failed' } | { kind: 'ready'; losses: PreviewMyDeletionResponse }

/** The end of the account: what is lost is read and said first, then the password is asked. */
export function DeleteDialog({
  open,
  email,
  onClose,
}: {
  open: boolean
  email: string
  onClose: () => void
}) {
  const { preview, ask } = usePreview(open)
  const { signOut } = useSession()
  const { dialog, refuse, errorAt, invalid, send } = useDialogForm<'password'>(onClose)
  const { form } = dialog
  // What had the focus is gone: the form took its place.
  useEffect(() => {
    if (preview.kind === 'ready') form.current?.querySelector('input')?.focus()
  }, [preview.kind, form])

  const remove = async (data: FormData) => {
    const password = String(data.get('password') ?? '')
    if (password === '') return refuse(at('password', texts.errors.missing))
    const sent = await send(
      () =>
        signOut(paths.accountDeleted, async ({ users }) => {
          const { protocol } = await users.deleteMyAccount({ password })
          writeTab('deletionProtocol', protocol)
        }),
      (cause) => deletionError(reasonOf(cause)),
    )
    // It stays busy on the way.
    if (sent) go(paths.accountDeleted, { replace: true })
  }

  return (
    <Dialog open={open} title={texts.title} onClose={dialog.onClose} locked={dialog.busy}>
      {preview.kind === 'ready' ? (
        <DialogForm texts={texts} {...dialog} danger onSubmit={remove}>
          <p>{texts.lead}</p>
          <ul className={styles.losses}>
            {lossesOf(preview.losses, email).map((loss) => (
              <li key={loss}>{loss}</li>
            ))}
          </ul>
          <Field
            label={texts.password}
            name="password"
            type="password"
            autoComplete="current-password"
            error={errorAt('password')}
            aria-invalid={invalid('password')}
          />
        </DialogForm>
      ) : (
        <>
          {preview.kind === 'loading' ? (
            <p className={styles.wait} role="status">
              <Spinner size="sm" />
              {texts.loading}
            </p>
          ) : (
            <p role="alert">{texts.failed}</p>
          )}
          <div className={styles.dialogActions}>
            <Button variant="quiet" onClick={dialog.onClose}>
              {texts.back}
            </Button>
            {preview.kind === 'failed' && <Button onClick={ask}>{texts.retry}</Button>}
          </div>
        </>
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

/** What a deletion would end now, read each time the dialog opens. */
function usePreview(open: boolean): { preview: Preview; ask: () => void } {
  const { data, isFetching, isError, refetch } = useQuery(
    {
      queryKey: ['deletion preview'],
      queryFn: () => call(({ users }) => users.previewMyDeletion({})),
      enabled: open,
    },
    queryClient,
  )
  const ask = () => void refetch()
  if (isFetching || !open) return { preview: { kind: 'loading' }, ask }
  return { preview: data && !isError ? { kind: 'ready', losses: data } : { kind: 'failed' }, ask }
}
