/** The plans page and the plans section of the landing pages. */
export const plans = {
  title: 'Planos para um grupo ou para cinquenta',
  lead: 'Comece com 7 dias grátis, sem cartão. Mude de plano ou cancele quando quiser.',
  leadSignedIn: 'Escolha como continuar. Mude de plano ou cancele quando quiser.',
  leadAwaited: 'Mude de plano ou cancele quando quiser.',
  leadOwn: 'Para mudar de plano, escolha outro: você vê o valor antes de confirmar.',
  priceAfterTrial: (then: string) => `7 dias com os limites do Elite Nível 1, sem cartão. Depois, ${then}`,
  trialThen: (first: string, monthly: string) => `${first} no 1º mês e ${monthly}`,
  /** In the campaign, which may end before the trial does. */
  trialCampaign: (first: string, monthly: string) =>
    `7 dias com os limites do Elite Nível 1, sem cartão. Assinando até 30 de novembro, ${first} no 1º mês; depois, ${monthly}`,
  /** Under the button of a card, whose price is above it. */
  cardNote: 'Sem cartão, com os limites do Elite Nível 1',
  /** The same for a price of the campaign, which may end before the trial does. */
  cardNoteCampaign: (lastDay: string) => `Sem cartão. Preço se assinar até ${lastDay}`,
  campaign: {
    badge: 'Black November',
    lead: 'No primeiro mês, o Elite Nível 1 sai pelo preço do Top Afiliado, e qualquer Elite PRO por R$\u00a0100 a menos.',
    until: 'Até 30 de novembro.',
  },
  levels: (group: string) => `Níveis do ${group}`,
  otherLevels: 'Outros níveis',
  /**
   * The number that the levels of a card differ in: its name, and its amount under a level's
   * name.
   */
  counts: {
    whatsapp_numbers: {
      unit: 'Números de WhatsApp',
      amount: (many: number) => (many === 1 ? '1 número' : `${many} números`),
    },
    whatsapp_groups: {
      unit: 'Grupos',
      amount: (many: number) => (many === 1 ? '1 grupo' : `${many} grupos`),
    },
  },
  own: 'Seu plano',
  ownPrice: 'É o preço do plano mensal. O que você paga está na sua assinatura.',
  changed: 'Mudou neste nível',
  perMonth: '/mês',
  firstMonth: 'no 1º mês',
  was: 'De',
  now: 'por',
  afterwards: (price: string) => `*depois ${price}/mês`,
  subscribe: 'Assinar Agora',
  signUp: 'Criar conta',
  includes: 'O que vem no plano',
  excludes: 'O que não vem no plano',
  /** On a phone, where a long list is cut. */
  showAll: 'Ver tudo',
  /** Limits that the plans of the next card have and this one has not. */
  without: {
    ai_searches: 'Sem busca com IA',
    automatic_promoters: 'Sem promotor automático',
    monitorings: 'Sem monitoramento',
    routers: 'Sem roteador de envios',
  },
  alreadySubscribed: 'Você já tem uma assinatura ativa!',
  changeTo: (plan: string) => `Mudar para o ${plan}`,
  changeToThis: 'Mudar para este plano',
  seeOwn: 'Ver minha assinatura',
  benefitsTitle: 'Todos os planos incluem',
} as const
