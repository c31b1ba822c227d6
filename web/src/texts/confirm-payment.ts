import type { Reason } from '../api/app-error'
import { accountRefusal, paymentsDown } from './refusals'

/**
 * /confirmar-pagamento: a renewal or a plan change that its payer must authenticate at the bank.
 */
export const confirmPayment = {
  title: 'Confirmar pagamento',
  loading: 'Buscando o pagamento...',
  restricted: 'Entre na sua conta para confirmar o pagamento.',
  asked: (amount: string, plan: string) => ({
    title: 'O banco pediu a sua confirmação',
    text: `Para cobrar ${amount} da renovação do plano ${plan}, o banco do seu cartão quer saber se é você mesmo. Tenha o app do banco à mão.`,
  }),
  askedForChange: (amount: string, plan: string) => ({
    title: 'O banco pediu a sua confirmação',
    text: `Para cobrar ${amount} da mudança para o plano ${plan}, o banco do seu cartão quer saber se é você mesmo. Tenha o app do banco à mão. Para pagar com outro cartão, cadastre-o e mude de plano de novo.`,
  }),
  confirm: (amount: string) => `Confirmar ${amount}`,
  working: 'Abrindo a confirmação...',
  again: 'Tentar novamente',
  otherCard: 'Usar outro cartão',
  account: 'Ver minha conta',
  hosted: 'Abrir a página da fatura',
  checking: 'Confirmando o pagamento...',
  slow: {
    title: 'Ainda estamos confirmando',
    text: 'O banco já recebeu a sua confirmação. Você também pode acompanhar pela sua conta.',
  },
  paid: {
    title: 'Pagamento confirmado!',
    text: 'Sua assinatura está em dia, e o acesso está liberado.',
  },
  changed: (plan: string) => ({
    title: 'Pagamento confirmado!',
    text: `Seu plano agora é o ${plan}.`,
  }),
  nothing: {
    title: 'Nenhum pagamento espera a sua confirmação',
    text: 'Ou ele já foi pago, ou o prazo dele acabou. Sua conta mostra como está a assinatura.',
  },
  unavailable: 'Não conseguimos abrir a confirmação',
  refused: {
    authentication: {
      title: 'O pagamento não foi confirmado',
      text: 'O banco não recebeu a sua confirmação, e nada foi cobrado. Tente de novo ou use outro cartão.',
    },
    authenticationChange: {
      title: 'O pagamento não foi confirmado',
      text: 'O banco não recebeu a sua confirmação. Nada foi cobrado, e seu plano continua o mesmo. Tente de novo, ou use outro cartão e mude de plano de novo.',
    },
    declinedChange: {
      title: 'O banco recusou o pagamento',
      text: 'A sua confirmação chegou, mas o cartão foi recusado. Nada foi cobrado, e seu plano continua o mesmo. Use outro cartão e mude de plano de novo, ou fale com o seu banco.',
    },
    declined: {
      title: 'O banco recusou o pagamento',
      text: 'A sua confirmação chegou, mas o cartão foi recusado, e nada foi cobrado. Use outro cartão ou fale com o seu banco.',
    },
    failed: {
      title: 'A confirmação não terminou',
      text: 'O serviço de pagamento não respondeu. Tente de novo: o mesmo pagamento não é cobrado duas vezes.',
    },
    down: {
      title: 'A confirmação não terminou',
      text: paymentsDown,
    },
  },
} as const

/** Why the payment to confirm could not be read. */
export function paymentAuthenticationError(reason: Reason): string {
  if (reason === 'PAYMENTS_DOWN') return paymentsDown
  return accountRefusal(reason, 'O serviço de pagamento não respondeu. Tente de novo em instantes.')
}
