import type { Reason } from '../api/app-error'
import { subscriptionRefusal } from './refusals'

/** Invoices, cancelling, the guarantee and what is paid next, in /area-usuario. */
export const invoices = {
  title: 'Faturas',
  loading: 'Buscando suas faturas...',
  failed: 'Não conseguimos buscar suas faturas.',
  retry: 'Tentar novamente',
  empty: 'Nenhuma fatura ainda. Os recibos dos seus pagamentos ficam aqui.',
  more: 'Carregar mais',
  loadingMore: 'Carregando...',
  moreFailed: 'Não conseguimos carregar mais faturas. Tente novamente.',
  papers: { receipt: 'Ver recibo', invoice: 'Ver fatura' },
  paperOf: {
    receipt: (what: string, date: string) => `Ver recibo: ${what} de ${date}, em nova aba`,
    invoice: (what: string, date: string) => `Ver fatura: ${what} de ${date}, em nova aba`,
  },
  number: (number: string) => `Nº\u00a0${number}`,
  boleto: 'Ver boleto',
  boletoOf: (date: string) => `Ver boleto da fatura de ${date}, em nova aba`,
  credited: (amount: string) => `Crédito de ${amount}`,
  asCredit: 'Creditado',
  creditEnded: 'Encerrado',
  creditUsed: (total: string) => `de ${total}, com seu crédito`,
  withEarlier: (amount: string) => `com ${amount} da fatura anterior`,
  carried: (amount: string) => `${amount} ficam para a próxima fatura`,
  refunded: (amount: string) => `${amount} devolvidos`,
  reasons: { purchase: 'Compra', renewal: 'Renovação', plan_change: 'Mudança de plano' } as Readonly<
    Record<string, string>
  >,
  otherReason: 'Cobrança',
  methods: { card: 'Cartão', boleto: 'Boleto' } as Readonly<Record<string, string>>,
  statuses: { open: 'Em aberto', paid: 'Paga', void: 'Cancelada', refunded: 'Devolvida' } as Readonly<
    Record<string, string>
  >,
} as const

export const nextPayment = {
  label: 'Próximo pagamento',
  value: (amount: string, date: string) => `${amount} em ${date}`,
  by: {
    card: 'No seu cartão. Troque em Gerenciar Plano.',
    boleto: 'Por boleto: ele chega no seu email e aparece aqui.',
  },
  credit: 'Crédito',
  covered: '(o crédito cobre)',
  creditFirst: (credit: string) => `O valor já conta com o seu crédito de ${credit}.`,
  tooLittle: 'O que falta é pouco para ser cobrado sozinho e vem com a renovação seguinte.',
  creditKept: 'Seu crédito é usado nas próximas cobranças.',
  creditAfterEnd: 'Seu crédito fica na conta: se você assinar de novo, ele é usado primeiro.',
  waits: {
    boleto: 'Sua renovação está em aberto. Pague o boleto para poder mudar de plano.',
    /** The provider issues it about an hour after the renewal. */
    boletoToCome:
      'Sua renovação começou. O boleto aparece aqui e no seu email em cerca de uma hora; depois de pagar, você pode mudar de plano.',
    card: 'A renovação está sendo cobrada. Assim que for confirmada, você pode mudar de plano.',
  },
  carried: 'Da fatura anterior',
  carriedWhy: 'O resto da fatura anterior era pouco para ser cobrado sozinho e está no próximo pagamento.',
} as const

export const cancellation = {
  open: 'Cancelar assinatura',
  ending: {
    title: (date: string) => `Sua assinatura termina em ${date}`,
    undated: 'Sua assinatura está cancelada',
    text: 'Até o fim, tudo continua funcionando. Nada mais é cobrado.',
    undo: 'Desfazer cancelamento',
    undoing: 'Desfazendo...',
  },
  resumed: {
    title: 'Sua assinatura continua',
    text: (date: string) => `Ela renova em ${date}, como antes.`,
    undated: 'Ela segue como antes.',
  },
} as const

export const guarantee = {
  title: 'Garantia de 7 dias',
  text: (amount: string, until: string) =>
    `Não era o que você esperava? Até ${until}, você pode receber ${amount} de volta.`,
  open: 'Pedir reembolso',
  done: {
    title: { requested: 'Reembolso pedido', paid: 'Reembolso pago' },
    text: 'Sua assinatura terminou. O protocolo está abaixo e também no seu email.',
  },
} as const

/** A refund on its way, or arrived. */
export const refund = {
  title: { requested: 'Reembolso em andamento', paid: 'Reembolso pago' },
  text: {
    requested: {
      card: 'O valor volta no mesmo cartão. Costuma aparecer em 5 a 10 dias úteis.',
      pix: (due: string) => `O valor chega por Pix ${due}. A chave precisa ser o email da sua assinatura.`,
      both: (card: string, pix: string, due: string) =>
        `${card} voltam no mesmo cartão, em 5 a 10 dias úteis, e ${pix} chegam por Pix ${due}. A chave precisa ser o email da sua assinatura.`,
    },
    paid: {
      card: 'O valor voltou no mesmo cartão. Ele aparece na fatura do banco em 5 a 10 dias úteis.',
      pix: () => 'O valor foi enviado por Pix para o email da sua assinatura.',
      both: (card: string, pix: string) =>
        `${card} voltaram no mesmo cartão, e ${pix} foram enviados por Pix para o email da sua assinatura.`,
    },
  },
  until: (day: string) => `até ${day}`,
  within: 'em até 30 dias',
  amount: 'Valor',
  asked: 'Pedido em',
  protocol: 'Protocolo',
  copy: 'Copiar protocolo',
  copied: 'Protocolo copiado',
} as const

export function resumeError(reason: Reason): string {
  return subscriptionRefusal(reason, 'Não foi possível desfazer o cancelamento. Tente novamente.')
}
