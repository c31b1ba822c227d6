import type { ComponentType } from 'react'
import { useToasts } from '../../../lib/toasts'
import { useLate } from '../../../lib/use-late'
import { site } from '../../../texts/site'
import { Dialog } from '../../../ui/dialog'
import { PageLoading } from '../../../ui/spinner'
import type { DialogProps } from './form-dialog'

type Dialogs = typeof import('./account-dialogs')

const load = () => import('./account-dialogs')

/**
 * Loads the account's dialogs before one is opened; without a connection nothing is tried ahead.
 */
export function prefetchDialogs(): void {
  if (navigator.onLine) load().catch(() => undefined)
}

/**
 * A dialog of the account. Its code comes once it is opened, because most visits open none. A
 * dialog whose code got lost closes and says so.
 */
function lateDialog<Props extends DialogProps>(dialogOf: (dialogs: Dialogs) => ComponentType<Props>) {
  const loadThis = async () => dialogOf(await load())
  return function LateDialog(props: Props) {
    const { open, onClose } = props
    const { show } = useToasts()
    const Content = useLate(loadThis, open, () => {
      onClose()
      show({ kind: 'error', title: site.unheard.title, description: site.unheard.text })
    })
    if (Content) return <Content {...props} />
    return (
      <Dialog open={open} title={site.loading} onClose={onClose}>
        <PageLoading />
      </Dialog>
    )
  }
}

export const CancelDialog = lateDialog((dialogs) => dialogs.CancelDialog)
export const DeleteDialog = lateDialog((dialogs) => dialogs.DeleteDialog)
export const EmailDialog = lateDialog((dialogs) => dialogs.EmailDialog)
export const PasswordDialog = lateDialog((dialogs) => dialogs.PasswordDialog)
export const PlanChangeDialog = lateDialog((dialogs) => dialogs.PlanChangeDialog)
export const ProfileDialog = lateDialog((dialogs) => dialogs.ProfileDialog)
export const RefundDialog = lateDialog((dialogs) => dialogs.RefundDialog)
