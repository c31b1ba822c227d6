import { intervalOf } from '../catalog/intervals'
import { planName } from '../catalog/plan-names'
import { type SelectedPlan, writeSelectedPlan } from '../catalog/selected-plan'
import { formatCentavos } from '../lib/money'
import { paths } from '../lib/paths'
import { useFirstPayment } from '../purchase/first-payment'
import { finish, paymentFor } from '../texts/finish'
import { ButtonLink } from './button'

/**
 * 'Concluir assinatura do plano X por R$ Y (anual)', with the first payment that the checkout asks
 * for.
 */
export function FinishPurchase({ plan, variant }: { plan: SelectedPlan; variant?: 'primary' | 'secondary' }) {
  const payment = useFirstPayment(plan)
  const price = payment && formatCentavos(payment.centavos)
  const of = paymentFor(intervalOf(plan.interval), payment?.isReduced ?? false)
  // The longer period was chosen on /upsell, which would ask for it again. It is stored at the
  // price shown here.
  const choice = payment?.choice
  return (
    <ButtonLink
      to={choice ? paths.checkout : paths.upsell}
      variant={variant}
      onClick={() => choice && writeSelectedPlan(choice)}
    >
      {finish(planName(plan.planId), price, of)}
    </ButtonLink>
  )
}
