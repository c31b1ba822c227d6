import type { Reason } from '../api/app-error'
import { accountRefusal, paymentsDown } from './refusals'

/** 'Fazer Upgrade' in /area-usuario. */
export const planChange = {
  title: 'Mudar de plano',
  loading: 'Buscando os planos...',
  plansFailed: 'Não conseguimos buscar os planos. Nada mudou na sua assinatura.',
  lead: (present: string) => `Hoje: ${present}. Você vê o valor exato antes de confirmar.`,
  period: 'Período',
  plan: 'Plano',
  /** Opens the plans of a group that are folded; `all` of them, or those beside the shown ones. */
  folded: (group: string, count: number, all: boolean) => {
    const plans = count === 1 ? '1 plano' : `${count} planos`
    return all ? `${group}: ${plans}` : `Mais ${plans} do ${group}`
  },
  present: 'Seu plano',
  /** At another period than the own one. */
  presentIn: (period: string) => `Seu plano, hoje ${period.toLowerCase()}`,
  planAndPeriod: (plan: string, period: string) => `${plan}, ${period.toLowerCase()}`,
  gains: 'Você ganha',
  // Not 'Você perde': its lines begin with 'Só' and 'Sem', which would be a double negative.
  losses: 'O que fica menor',
  more: (first: string, others: number) => {
    if (others === 0) return first
    return `${first} e mais ${others} ${others === 1 ? 'diferença' : 'diferenças'}`
  },
  same: 'Este já é o seu plano. Escolha outro plano ou outro período.',
  back: 'Voltar',
  next: 'Ver valores',
  previewing: 'Calculando...',
  retry: 'Tentar novamente',
  review: {
    title: 'Confira a mudança',
    from: 'De',
    to: 'Para',
    bill: 'Conta da mudança',
    unused: (plan: string) => `Tempo não usado do ${plan}`,
    time: (plan: string, until: string) => `${plan} até ${until}`,
    earlier: 'Resto da fatura anterior',
    creditUsed: 'Seu crédito',
    carried: 'Fica para a próxima fatura',
    pay: 'Você paga agora',
    credit: 'Vira crédito',
    creditText: 'Usamos esse crédito nas próximas cobranças, antes do seu cartão ou boleto.',
    creditLeft: (amount: string) => `Você fica com ${amount} de crédito para as próximas cobranças.`,
    /** `isNew`: another period begins with the change. */
    later: (isNew: boolean, amount: string, period: string, date: string) =>
      `O ${isNew ? 'novo período' : 'período atual'} vai até ${date}. A partir daí, ${amount}${period}.`,
    carriedLater: (amount: string) => `${amount} é pouco para uma cobrança e vem com o próximo pagamento.`,
    nextCharge: (amount: string) => `Com o seu crédito, o próximo pagamento é de ${amount}.`,
    renewsAgain: 'O cancelamento é desfeito: a assinatura volta a renovar.',
    stillEnds: (date: string) => `Sua assinatura continua terminando em ${date}.`,
    atOnce: 'A mudança vale na hora.',
    card: 'A cobrança vai no cartão da sua assinatura.',
    confirm: {
      pay: (amount: string) => `Mudar e pagar ${amount}`,
      credit: (amount: string) => `Mudar e receber ${amount} de crédito`,
      nothing: 'Mudar sem pagar nada agora',
    },
    confirming: 'Mudando de plano...',
    wait: 'Estamos falando com o banco. Não feche esta página.',
    renewed:
      'Passou tempo demais ou algo mudou na sua assinatura. Os valores abaixo são os de agora: confira antes de confirmar.',
    portal: 'Trocar o cartão',
    addCard: 'Cadastrar um cartão',
    cardRequired:
      'Sua assinatura é paga por boleto, e esta mudança precisa ser paga na hora. Cadastre um cartão e volte aqui.',
  },
  confirmation: {
    title: 'Confirme no banco para mudar de plano',
    text: (amount: string, plan: string) =>
      `O banco do seu cartão quer saber se é você mesmo antes de cobrar ${amount} pelo plano ${plan}. Até lá, nada é cobrado e seu plano continua o mesmo.`,
    until: (date: string) => `Você pode confirmar até ${date}.`,
    confirm: (amount: string) => `Confirmar ${amount} no banco`,
    later: 'Confirmar depois',
    giveUp: 'Desistir da mudança',
    givingUp: 'Desistindo...',
    givenUp: {
      title: 'A mudança não foi feita',
      text: 'Nada foi cobrado, e seu plano continua o mesmo.',
    },
    /** Confirmed before it was given up. */
    paid: 'O pagamento já tinha sido confirmado. O recibo está nas suas faturas.',
  },
  done: {
    title: (plan: string) => `Seu plano agora é o ${plan}`,
    charged: (amount: string) => `Cobramos ${amount}. O recibo está nas suas faturas.`,
    credit: (amount: string) => `Nada foi cobrado. Você tem ${amount} de crédito para as próximas cobranças.`,
    nothing: 'Nada foi cobrado agora.',
  },
} as const

/** The bank's reason, by the provider's decline code; any other is a plain refusal. */
const declines: Readonly<Record<string, string>> = {
  insufficient_funds: 'O banco recusou: o cartão está sem limite ou saldo.',
  expired_card: 'O banco recusou: o cartão está vencido.',
  incorrect_cvc: 'O banco recusou: o código de segurança do cartão não confere.',
  lost_card: 'O banco recusou este cartão. Use outro ou fale com o seu banco.',
  stolen_card: 'O banco recusou este cartão. Use outro ou fale com o seu banco.',
  authentication_required:
    'O banco pede que você confirme esta compra, e isso precisa ser feito com o cartão de novo.',
  card_velocity_exceeded: 'O banco recusou: o limite de compras do cartão foi atingido.',
  processing_error: 'O banco não conseguiu processar o cartão agora. Tente de novo em instantes.',
}

/**
 * Why nothing was changed, and whether the provider's portal helps: another card has to be there.
 */
export interface PlanChangeFailure {
  text: string
  portal: 'change' | 'add' | null
}

/** Why a change that waits for the bank could not be given up. */
export function planChangeCancelError(reason: Reason): string {
  switch (reason) {
    case 'NO_SUBSCRIPTION':
      return 'Não há mais uma assinatura para mudar. Atualize a página e confira.'
    case 'CHANGE_IN_PROGRESS':
      return 'O banco está processando o pagamento da mudança. Tente de novo em instantes.'
    case 'PAYMENTS_DOWN':
      return paymentsDown
    default:
      return accountRefusal(reason, 'Não foi possível desistir da mudança. Tente novamente.')
  }
}

/** What a refused or unanswered change means, or a look at its price, which `charges` nothing. */
export function planChangeError(
  reason: Reason,
  declineCode: string | undefined,
  charges = true,
): PlanChangeFailure {
  switch (reason) {
    case 'PAYMENT_DECLINED': {
      const said = declines[declineCode ?? ''] ?? 'O banco não aprovou a cobrança.'
      return { text: `${said} Seu plano continua como estava, e nada foi cobrado.`, portal: 'change' }
    }
    case 'CARD_REQUIRED':
      return { text: planChange.review.cardRequired, portal: 'add' }
    default:
      return { text: textWithoutPortal(reason, charges), portal: null }
  }
}

function textWithoutPortal(reason: Reason, charges: boolean): string {
  switch (reason) {
    case 'PROVIDER_UNAVAILABLE':
      return charges
        ? 'O serviço de pagamento não respondeu. Sua escolha está guardada: tente de novo, nada é cobrado duas vezes.'
        : 'O serviço de pagamento não respondeu. Sua escolha está guardada, e nada mudou: tente de novo.'
    case 'PAYMENTS_DOWN':
      return paymentsDown
    case 'OFFLINE':
    case 'UNAVAILABLE':
      return charges
        ? 'Não tivemos resposta. Confira a conexão e tente de novo: nada é cobrado duas vezes.'
        : 'Não tivemos resposta. Confira a conexão e tente de novo: nada mudou.'
    case 'NO_SUBSCRIPTION':
      return 'Não há uma assinatura paga para mudar. Se a renovação está em aberto, pague-a antes; se não, atualize a página e confira.'
    case 'CHANGE_IN_PROGRESS':
      return 'A mudança de plano que você confirmou ainda está sendo concluída. Tente de novo em instantes.'
    case 'PLAN_NOT_FOR_SALE':
    case 'UNKNOWN_PLAN':
      return 'Este plano não está à venda agora. Volte e escolha outro.'
    default:
      return accountRefusal(
        reason,
        'Não foi possível mudar de plano. Seu plano continua como estava. Tente novamente.',
      )
  }
}
