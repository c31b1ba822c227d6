import type { Interval } from '../catalog/intervals'
import { boletoDays } from './boleto'

/** /upsell. */
export const upsell = {
  title: 'Aproveite as Ofertas Exclusivas',
  lead: (plan: string) =>
    `Você escolheu o ${plan}. Pagando um período maior de uma vez, cada mês sai por menos.`,
  loading: 'Calculando suas ofertas...',
  reserved: 'Sua seleção e estas ofertas ficam reservadas por',
  over: 'O tempo da reserva acabou. Estes são os valores de agora.',
  extra: (amount: string) => `Pague ${amount} a mais agora.`,
  extraLater: (amount: string, date: string) => `Pague ${amount} a mais em ${date}; hoje, nada.`,
  equals: 'Equivale a',
  perMonth: ' por mês',
  from: 'De',
  to: 'por',
  discount: (percent: number) => `${percent}% off`,
  savings: (amount: string) => `Economia de ${amount} por mês`,
  /** Behind a price that a coupon makes smaller: it is paid once. */
  first: {
    trimestral: ' nos primeiros 90 dias',
    semestral: ' nos primeiros 180 dias',
    anual: ' no 1º ano',
  } as Partial<Record<Interval['stored'], string>>,
  renewal: (amount: string, period: string) => `Depois, ${amount}${period}`,
  take: 'Aproveitar Oferta',
  monthly: 'Continuar com o plano mensal',
  monthlyPrice: (price: string) => `${price} por mês`,
  monthlyFirst: (first: string, then: string) => `${first} no 1º mês, depois ${then} por mês`,
  reassurance: [
    { title: 'Garantia de 7 dias', text: 'Não gostou da primeira assinatura? Devolvemos o valor integral.' },
    { title: 'Upgrade a qualquer momento', text: 'Mude de plano quando precisar e pague só a diferença.' },
    { title: 'Ofertas exclusivas', text: 'Quem paga o período inteiro paga menos por mês.' },
  ],
  dialog: {
    title: 'Confirmar mudança de plano',
    original: 'Preço normal',
    price: 'Você paga hoje',
    priceLater: (date: string) => `Você paga em ${date}`,
    discount: 'Desconto',
    savings: 'Economia',
    perMonth: (amount: string) => `${amount} por mês`,
    renewal: 'Renovação',
    each: (amount: string, period: string) => `${amount}${period}`,
    back: 'Voltar',
    confirm: 'Confirmar',
    busy: 'Processando...',
  },
  overlay: {
    title: 'Abrindo checkout...',
    text: 'O pagamento acontece em outra aba. Esta página espera por você e segue sozinha quando terminar.',
    asking: 'Conferindo o pagamento...',
    back: 'Voltar ao checkout',
    cancel: 'Cancelar',
  },
  dropped: {
    coupon: 'O desconto não vale para esta compra. Os valores abaixo são sem ele.',
    campaign: 'A promoção acabou. Os valores abaixo são os de agora.',
  },
  planGone: 'Este plano não está mais à venda. Escolha outro para continuar.',
  subscribed: {
    title: 'Você já tem uma assinatura ativa!',
    text: 'Para trocar de plano, use Mudar de plano: você vê o valor antes de confirmar. Para trocar o cartão, use Gerenciar Plano.',
    change: 'Mudar de plano',
  },
  failed: {
    title: 'Não deu para calcular as ofertas',
    text: 'Sua seleção está guardada. Tente de novo em instantes.',
    retry: 'Tentar novamente',
    plans: 'Voltar aos planos',
  },
} as const

/** Above the offers of /upsell during the free trial. */
export const trialFirst = {
  title: 'Seu teste grátis está liberado',
  text: (until: string) => `7 dias do plano Profissional, sem cartão: até ${until}, sem custo.`,
  stay: 'Continuar no teste grátis',
  charged: `Se assinar agora, a cobrança no cartão é hoje e o plano começa na hora. ${boletoDays}`,
  later: (when: string) => `Assinando agora, hoje você não paga nada: a primeira cobrança vem em ${when}.`,
} as const

/** On /upsell. */
export const openInvoice = {
  title: 'Sua assinatura está suspensa',
  text: (plan: string) =>
    `A renovação do ${plan} está em aberto e conta desde o vencimento: pague e o acesso volta assim que o pagamento for confirmado. Se você assinar por aqui, os dias contam de hoje e ela é cancelada: não pague as duas.`,
  pay: 'Pagar a renovação',
  confirm: 'Confirmar a renovação no banco',
} as const
