import type { Reason } from '../api/app-error'
import { paymentsDown } from './refusals'

/** /checkout. */
export const checkout = {
  title: 'Finalizar Assinatura',
  loading: 'Carregando checkout...',
  restricted: {
    title: 'Acesso Restrito',
    text: 'Você precisa estar logado para acessar esta página',
    login: 'Fazer Login',
    signUp: 'Criar conta',
  },
  back: 'Voltar aos planos',
  error: {
    title: 'Erro',
    setup: 'Ocorreu um erro ao configurar o checkout. Por favor, tente novamente mais tarde.',
    toast: 'Não foi possível configurar o checkout. Tente novamente mais tarde.',
    retry: 'Tentar novamente',
  },
  down: { title: paymentsDown },
  unchosen: {
    title: 'Escolha um plano para assinar',
    text: 'Não há nenhum plano guardado neste navegador.',
    plans: 'Ver planos',
  },
  subscribed: {
    title: 'Você já tem uma assinatura ativa!',
    text: 'Para trocar de plano, use Mudar de plano: você vê o valor antes de confirmar. Para trocar o cartão, use Gerenciar Plano.',
    change: 'Mudar de plano',
  },
  coupon: {
    title: 'Este cupom não vale para esta compra.',
    text: (price: string, period: string) => `Sem o cupom, o valor é ${price}${period}.`,
    textWithoutPrice: 'Você pode seguir sem ele.',
    go: 'Continuar sem cupom',
  },
  price: {
    title: 'O valor mudou',
    text: (before: string, now: string) => `Você viu ${before}. O valor de agora é ${now}. Quer continuar?`,
    go: (now: string) => `Continuar por ${now}`,
  },
  summary: {
    title: 'Resumo',
    plan: 'Plano',
    interval: 'Período',
    today: 'Cobrado hoje',
    later: (date: string) => `Primeira cobrança, em ${date}`,
    coupon: 'Cupom',
    renewal: (amount: string, days: number) => `Renova por ${amount} a cada ${days} dias.`,
    renewalAlike: (days: number) => `Renova pelo mesmo valor a cada ${days} dias.`,
    renews: 'A assinatura renova automaticamente. Cancele quando quiser, sem taxas.',
    guarantee: 'Garantia de 7 dias na primeira assinatura: devolvemos o valor integral.',
  },
  trial: {
    charged: (until: string) =>
      `Você está no teste grátis até ${until}. Pagando agora no cartão, o plano começa na hora.`,
    later: (amount: string, when: string) =>
      `Hoje você não paga nada: a primeira cobrança, de ${amount}, vem em ${when}.`,
  },
  confirming: 'Confirmando o pagamento...',
  done: {
    title: 'Pagamento confirmado!',
    text: 'Esta janela fecha sozinha. Você continua na página do Garimpo.',
  },
} as const

/** Message of a refused session; any other reason has the general text. */
export type Refusal = 'subscribed' | 'coupon' | 'price' | 'down' | 'unchosen' | 'setup'

const refusals: Partial<Record<Reason, Refusal>> = {
  ALREADY_SUBSCRIBED: 'subscribed',
  COUPON_NOT_APPLICABLE: 'coupon',
  PRICE_CHANGED: 'price',
  PAYMENTS_DOWN: 'down',
}

export function refusalOf(reason: Reason): Refusal {
  return refusals[reason] ?? 'setup'
}

/** /checkout-return. */
export const checkoutReturn = {
  title: 'Confirmando o pagamento',
  loading: 'Carregando...',
  account: 'Ver minha conta',
  slow: 'Está demorando mais que o normal. Se você já pagou, o pagamento está registrado.',
  expired: 'Sua sessão de pagamento expirou. Escolha o plano novamente.',
} as const
