import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../../api/query-client'
import { subscriptionQuery } from '../../api/subscription'
import { formatDate, toDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { noBreak } from '../../lib/no-break'
import { paths } from '../../lib/paths'
import { planName } from '../../purchase/plan-names'
import { useUid } from '../../session/session'
import { boletoNote as texts } from '../../texts/plan-notes'
import { ButtonLink } from '../../ui/button'
import { QuietNote } from './quiet-note'

/** Names the plan that an open boleto pays, before the same person buys again. */
export default function BoletoNote() {
  const { data } = useQuery(subscriptionQuery(useUid()), queryClient)
  const boleto = data?.boleto
  if (!boleto) return null
  const plan = noBreak(planName(data.subscription?.planId))
  const due = toDate(boleto.dueAt)
  const amount = formatCentavos(boleto.amountCentavos)
  return (
    <QuietNote>
      <p>
        {texts.open(plan, amount, due && formatDate(due))} {texts.other}
      </p>
      <ButtonLink size="sm" to={paths.account}>
        {texts.view}
      </ButtonLink>
    </QuietNote>
  )
}
