import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call'
import { queryClient } from '../../api/query-client'
import { useUid } from '../../session/session'
import { paymentSuccess as texts } from '../../texts/results'
import { ButtonLink } from '../../ui/button'

/** The receipt of the payment that was just made, once the account has it. */
export function Receipt() {
  const uid = useUid()
  const { data: receipt } = useQuery(
    { queryKey: ['last receipt', uid], queryFn: lastReceipt, enabled: uid !== null },
    queryClient,
  )
  if (!receipt) return null
  return (
    <ButtonLink href={receipt} target="_blank" rel="noopener" variant="quiet">
      {texts.receipt}
    </ButtonLink>
  )
}

/** Address of the newest invoice's receipt; empty where it was not paid. */
async function lastReceipt(): Promise<string> {
  const { invoices } = await call(({ billing }) => billing.listInvoices({ pageSize: 1, pageToken: '' }))
  const [last] = invoices
  return last?.status === 'paid' ? last.receiptUrl : ''
}
