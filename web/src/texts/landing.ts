/** The hero of the home page. Its other sections have files of their own, such as `steps.ts`. */
export const hero = {
  /** For a visitor with an account. */
  app: 'Acessar o App',
  /** For a visitor who used the trial and does not subscribe. */
  resume: 'Escolha como continuar',
  ordinary: {
    title: 'A promoção certa, no grupo certo, sem você parar o dia.',
    lead: 'O Garimpo encontra ofertas nas lojas, monta o post com o seu link de afiliado e envia para os seus grupos de WhatsApp e Telegram.',
    trial: 'Testar grátis por 7 dias',
    plans: 'Ver planos',
  },
  /** Beside the campaign's own title and subtitle. */
  campaign: {
    /** For a visitor from a promotion's link. */
    coupon: 'Seu cupom também vale aqui: veja os planos',
    /** The title: 'Elite Nível 1 por R$ 97,90 no 1º mês'. */
    price: (plan: string) => `${plan} por`,
    month: 'no 1º mês',
    later: (monthly: string) => `Depois, ${monthly}/mês.`,
    until: (day: string) => `Até ${day}, às 23:59`,
    left: (clock: string) => `faltam ${clock}`,
    daysLeft: (days: number) => `faltam ${days} dias`,
  },
} as const

/** Under a button of the free trial. */
export const trialNote = (price: string, withSearch: string) =>
  `Sem cartão, com os limites do Elite Nível 1. Depois, a partir de ${price}/mês; com IA, ${withSearch}/mês.`
