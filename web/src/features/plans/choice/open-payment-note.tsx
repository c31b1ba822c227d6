import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../../../api/query-client'
import { owesRenewal, subscriptionQuery } from '../../../api/subscription'
import { planName } from '../../../catalog/plan-names'
import { formatDate, toDate } from '../../../lib/dates'
import { formatCentavos } from '../../../lib/money'
import { noBreak } from '../../../lib/no-break'
import { paths } from '../../../lib/paths'
import { useUid } from '../../../session/session'
import { openBoleto } from '../../../texts/boleto'
import { openPayment as texts } from '../../../texts/plan-notes'
import { ButtonLink } from '../../../ui/button'
import { QuietNote } from './quiet-note'

/** Names the plan that an open boleto or renewal pays, before the same person buys again. */
export default function OpenPaymentNote() {
  const { data } = useQuery(subscriptionQuery(useUid()), queryClient)
  const { boleto, subscription } = data ?? {}
  const plan = noBreak(planName(subscription?.planId))
  if (boleto) {
    const due = toDate(boleto.dueAt)
    const amount = formatCentavos(boleto.amountCentavos)
    const open = texts.boleto(plan, amount, due && formatDate(due))
    return <Note text={`${open} ${openBoleto.other}`} view={openBoleto.view} />
  }
  return owesRenewal(subscription) && <Note text={texts.renewal(plan)} view={texts.viewRenewal} />
}

function Note({ text, view }: { text: string; view: string }) {
  return (
    <QuietNote>
      <p>{text}</p>
      <ButtonLink size="sm" to={paths.account}>
        {view}
      </ButtonLink>
    </QuietNote>
  )
}
