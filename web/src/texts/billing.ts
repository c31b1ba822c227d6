import type { Reason } from '../api/app-error'

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
  boleto: 'Ver boleto',
  boletoOf: (date: string) => `Ver boleto da fatura de ${date}, em nova aba`,
  credited: (amount: string) => `Crédito de ${amount}`,
  inFavour: 'A seu favor',
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
  by: { card: 'No cartão da sua assinatura.', boleto: 'Por boleto: ele chega no seu email e aparece aqui.' },
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

/** The reason that a cheaper plan answers. */
const tooExpensive = 'Está caro para mim'

export const cancellation = {
  open: 'Cancelar assinatura',
  title: 'Cancelar assinatura',
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
  dialogTitle: 'Pedir reembolso',
  amount: 'Você recebe de volta',
  how: {
    card: 'No mesmo cartão. Costuma aparecer em 5 a 10 dias úteis.',
    pix: (email: string) =>
      `Por Pix, em até 30 dias. A chave Pix precisa ser ${email}, o email da sua assinatura.`,
    both: (card: string, pix: string, email: string) =>
      `${card} no mesmo cartão, em 5 a 10 dias úteis, e ${pix} por Pix, em até 30 dias. A chave Pix precisa ser ${email}, o email da sua assinatura.`,
  },
  end: (plan: string) => `Seu acesso ao ${plan} termina agora, e a assinatura não renova mais.`,
  credit: 'O crédito de mudanças de plano acaba junto.',
  back: 'Voltar',
  submit: (amount: string) => `Receber ${amount} de volta`,
  submitting: 'Pedindo...',
  done: {
    title: 'Reembolso pedido',
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

const unanswered = 'Não tivemos resposta. Tente novamente: o pedido não é feito duas vezes.'

/** What a refusal means where something is asked of the subscription; `failed` where it says nothing more. */
function refusal(reason: Reason, failed: string): string {
  switch (reason) {
    case 'UNAUTHENTICATED':
      return 'Sua sessão terminou. Entre de novo.'
    case 'TOO_MANY_REQUESTS':
      return 'Muitas tentativas. Tente novamente mais tarde'
    case 'PROVIDER_UNAVAILABLE':
    case 'UNAVAILABLE':
    case 'OFFLINE':
      return unanswered
    case 'NO_SUBSCRIPTION':
      return 'Não há uma assinatura que possa ser alterada. Atualize a página e confira.'
    case 'CHANGE_IN_PROGRESS':
      return 'Outra mudança da sua assinatura ainda está sendo concluída. Tente de novo em instantes.'
    case 'REFUND_WINDOW_CLOSED':
      return 'O prazo da garantia terminou.'
    default:
      return failed
  }
}

export function cancellationError(reason: Reason): string {
  if (reason === 'PROVIDER_UNAVAILABLE') {
    return 'O serviço de pagamento não respondeu. Seu pedido está guardado: cancelamos assim que ele responder e avisamos por email.'
  }
  return refusal(reason, 'Não foi possível cancelar. Tente novamente.')
}

export function resumeError(reason: Reason): string {
  return refusal(reason, 'Não foi possível desfazer o cancelamento. Tente novamente.')
}

export function refundError(reason: Reason): string {
  return refusal(reason, 'Não foi possível pedir o reembolso. Tente novamente.')
}
