import type { SelectedPlan } from '../lib/browser-storage'
import { formatCentavos } from '../lib/money'
import { paths } from '../lib/paths'
import { useFirstPayment } from '../purchase/first-payment'
import { finish } from '../texts/finish'
import { intervalOf } from '../texts/intervals'
import { ButtonLink } from './button'

/** 'Concluir assinatura do plano X por R$ Y (anual)', with the first payment that the checkout asks for. */
export function FinishPurchase({ plan, variant }: { plan: SelectedPlan; variant?: 'primary' | 'secondary' }) {
  const price = useFirstPayment(plan)
  const interval = intervalOf(plan.interval)
  const period = interval && interval.stored !== 'monthly' ? interval.name.toLowerCase() : null
  return (
    <ButtonLink to={paths.upsell} variant={variant}>
      {finish(plan.name, price === null ? null : formatCentavos(price), period)}
    </ButtonLink>
  )
}
