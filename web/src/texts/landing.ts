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
  campaign: {
    overline: 'Ofertas encontradas e postadas nos seus grupos',
    /** For a visitor from a promotion's link. */
    coupon: 'Seu cupom também vale aqui: veja os planos',
    title: 'Black November no Garimpo',
    lead: 'Elite Nível 1 por R$\u00a097,90 no 1º mês (depois, R$\u00a0197,90/mês) e R$\u00a0100 a menos no 1º mês de qualquer Elite PRO. Até 30 de novembro.',
    plans: 'Ver planos',
    note: 'Teste grátis por 7 dias, sem cartão.',
  },
} as const

/** Under a button of the free trial. */
export const trialNote = (price: string) =>
  `7 dias do plano Profissional, sem cartão. Depois, planos a partir de ${price}/mês.`
