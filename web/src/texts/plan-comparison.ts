/** The plans side by side. Static: sent as HTML alone. */
export const planComparison = {
  title: 'Compare os planos',
  open: 'Ver a tabela completa',
  plan: 'Plano',
  resource: 'Recurso',
  price: { name: 'Preço por mês', text: 'Cobrança mensal; cancele quando quiser.' },
  range: (from: string, to: string) => `${from} a ${to}`,
  both: (groups: string) => `${groups} + ${groups}`,
  moreTitle: 'Já assina? Há mais três níveis do Elite',
  more: 'Para quem já assina, há mais três níveis do Elite, com grupos sem limite e canais do WhatsApp, mas sem o que é do Elite PRO, como o gerenciador de grupos e o rastreamento de cliques. A troca é feita na área do usuário, em Fazer Upgrade:',
  moreLevel: (plan: string, price: string, numbers: number) =>
    `${plan}: ${price}/mês, ${numbers === 1 ? '1 número' : `${numbers} números`} de WhatsApp`,
  unlimited: 'Sem limite',
  yes: 'Sim',
  no: 'Não',
} as const
