import { useMutation } from '@tanstack/react-query'
import { useToasts } from '../lib/toasts'
import { openPortal } from '../purchase/portal'
import { useSession } from '../session/session'
import { managePlan, portal } from '../texts/site'
import { Button } from '../ui/button'

/** 'Gerenciar Plano' (or another text) that leads to the provider's portal. */
export function ManagePlan({
  text = managePlan,
  variant,
  size,
  className,
  onOpen,
}: {
  text?: string
  variant?: 'primary' | 'secondary' | 'quiet'
  size?: 'sm'
  className?: string | undefined
  /** Called before the browser goes to the portal. */
  onOpen?: () => void
}) {
  const { confirm } = useSession()
  const { show } = useToasts()
  const { isPending: opening, mutate: open } = useMutation({
    onMutate: onOpen,
    mutationFn: () => openPortal(confirm, show),
  })
  return (
    <Button variant={variant} size={size} className={className} busy={opening} onClick={() => open()}>
      {opening ? portal.opening : text}
    </Button>
  )
}
