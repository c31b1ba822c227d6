import { usePortal } from '../../lib/use-portal'
import { account } from '../../texts/account'
import { portal } from '../../texts/portal'
import { Button } from '../../ui/button'

/** 'Gerenciar Plano' (or another text) that leads to the provider's portal. */
export function ManagePlan({
  text = portal.manage,
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
