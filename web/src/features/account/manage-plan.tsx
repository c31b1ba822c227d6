import { usePortal } from '../../lib/portal'
import { account } from '../../texts/account'
import { Button } from '../../ui/button'

/** 'Gerenciar Plano' (or another text) that leads to the provider's portal. */
export function ManagePlan({
  text = account.subscription.manage,
  variant,
}: {
  text?: string
  variant?: 'primary' | 'secondary'
}) {
  const { opening, open } = usePortal()
  return (
    <Button variant={variant} busy={opening} onClick={open}>
      {opening ? account.subscription.managing : text}
    </Button>
  )
}
