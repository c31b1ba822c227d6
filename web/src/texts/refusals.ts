import type { Reason } from '../api/app-error'
import { tooManyAttempts } from './site'

/** Text of a refusal on every screen of the account; `failed` for any other reason. */
export function accountRefusal(reason: Reason, failed: string): string {
  if (reason === 'UNAUTHENTICATED') return 'Sua sessão terminou. Entre de novo.'
  return reason === 'TOO_MANY_REQUESTS' ? tooManyAttempts : failed
}

/** The payment provider refuses our key: another try soon does not help. */
export const paymentsDown = 'Os pagamentos estão fora do ar no momento. Tente novamente mais tarde.'

/** The same where something is asked of the subscription. */
export function subscriptionRefusal(reason: Reason, failed: string): string {
  switch (reason) {
    case 'PROVIDER_UNAVAILABLE':
    case 'UNAVAILABLE':
    case 'OFFLINE':
      return 'Não tivemos resposta. Tente novamente: o pedido não é feito duas vezes.'
    case 'PAYMENTS_DOWN':
      return paymentsDown
    case 'NO_SUBSCRIPTION':
      return 'Não há uma assinatura que possa ser alterada. Atualize a página e confira.'
    case 'CHANGE_IN_PROGRESS':
      return 'Outra mudança da sua assinatura ainda está sendo concluída. Tente de novo em instantes.'
    case 'REFUND_WINDOW_CLOSED':
      return 'O prazo da garantia terminou.'
    default:
      return accountRefusal(reason, failed)
  }
}
