/** The plans page and the plans section of the landing pages. */
export const plans = {
  title: 'Planos para um grupo ou para cinquenta',
  lead: 'Comece com 7 dias grátis, sem cartão. Mude de plano ou cancele quando quiser.',
  campaign: {
    badge: 'Black November',
    title: 'Black November: primeiro mês com desconto',
    lead: 'No primeiro mês, o Elite Nível 1 sai pelo preço do Top Afiliado, e qualquer Elite PRO por R$\u00a0100 a menos.',
    until: 'Até 30 de novembro.',
  },
  levels: (group: string) => `Níveis do ${group}`,
  otherLevels: 'Outros níveis',
  perMonth: '/mês',
  firstMonth: 'no 1º mês',
  was: 'De',
  now: 'por',
  afterwards: (price: string) => `*depois ${price}/mês`,
  subscribe: 'Assinar Agora',
  signUp: 'Criar conta',
  choosing: 'Um instante...',
  includes: 'O que vem no plano',
  alreadySubscribed: 'Você já tem uma assinatura ativa!',
  benefitsTitle: 'Todos os planos incluem',
} as const
