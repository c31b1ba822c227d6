import type { Reason } from '../api/app-error'
import { cancellation, guarantee } from './billing'
import { subscriptionRefusal } from './refusals'

/** The reason that a cheaper plan answers. */
const tooExpensive = 'Está caro para mim'

/** The dialog that cancels a subscription. */
export const cancelForm = {
  title: cancellation.open,
  until: (plan: string, date: string) =>
    `Seu acesso ao ${plan} continua até ${date}. Depois disso, nada mais é cobrado.`,
  undated: 'Nada mais é cobrado.',
  undo: 'Você pode voltar atrás até lá, aqui mesmo.',
  atOnce: 'Sua assinatura termina agora, e a renovação em aberto não é mais cobrada.',
  credit: (amount: string) =>
    `Seu crédito de ${amount} fica na conta: se você assinar de novo, ele é usado primeiro.`,
  why: 'Por que você está cancelando? (opcional)',
  whyNone: 'Prefiro não dizer',
  reasons: [
    tooExpensive,
    'Uso pouco',
    'Faltou algo de que preciso',
    'Tive problemas no uso',
    'Vou usar outra ferramenta',
    'Outro motivo',
  ],
  cheaper: {
    reason: tooExpensive,
    text: 'Um plano mais barato pode bastar. O tempo que você já pagou vira crédito.',
    take: (plan: string, price: string) => `Mudar para o ${plan}, ${price}`,
  },
  more: 'Quer contar mais? (opcional)',
  moreHint: (most: number) => `Até ${most} caracteres.`,
  back: 'Voltar',
  submit: 'Cancelar assinatura',
  submitting: 'Cancelando...',
  guarantee: (date: string) => `Até ${date} você também pode receber seu dinheiro de volta.`,
  guaranteeOpen: 'Pedir reembolso',
  done: {
    title: 'Cancelamento feito',
    text: (date: string) => `Seu acesso continua até ${date}. Se mudar de ideia, é só desfazer.`,
    undated: 'Nada mais será cobrado. Se mudar de ideia, é só desfazer.',
    atOnce: 'Sua assinatura terminou, e nada mais será cobrado.',
  },
} as const

export function cancellationError(reason: Reason): string {
  if (reason === 'PROVIDER_UNAVAILABLE') {
    return 'O serviço de pagamento não respondeu. Seu pedido está guardado: cancelamos assim que ele responder e avisamos por email.'
  }
  if (reason === 'PAYMENTS_DOWN') {
    return 'Os pagamentos estão fora do ar. Seu pedido está guardado: cancelamos assim que voltarem e avisamos por email.'
  }
  return subscriptionRefusal(reason, 'Não foi possível cancelar. Tente novamente.')
}

/** The dialog that asks for the money back. */
export const refundForm = {
  title: guarantee.open,
  amount: 'Você recebe de volta',
  how: {
    card: 'No mesmo cartão. Costuma aparecer em 5 a 10 dias úteis.',
    pix: (email: string) =>
      `Por Pix, em até 30 dias. A chave Pix precisa ser ${email}, o email da sua assinatura.`,
    both: (card: string, pix: string, email: string) =>
      `${card} no mesmo cartão, em 5 a 10 dias úteis, e ${pix} por Pix, em até 30 dias. A chave Pix precisa ser ${email}, o email da sua assinatura.`,
  },
  end: (plan: string) => `Seu acesso ao ${plan} termina agora, e a assinatura não renova mais.`,
  trial: 'O teste grátis também não volta.',
  credit: 'O crédito de mudanças de plano acaba junto.',
  back: 'Voltar',
  submit: (amount: string) => `Receber ${amount} de volta`,
  submitting: 'Pedindo...',
} as const

export function refundError(reason: Reason): string {
  return subscriptionRefusal(reason, 'Não foi possível pedir o reembolso. Tente novamente.')
}
