/** The plans side by side. Static: sent as HTML alone. */
export const planComparison = {
  title: 'Compare os planos',
  open: 'Ver a tabela completa',
  plan: 'Plano',
  resource: 'Recurso',
  price: { name: 'Preço por mês', text: 'No plano mensal, sem desconto.' },
  range: (from: string, to: string) => `${from} a ${to}`,
  both: (groups: string) => `${groups} + ${groups}`,
  unlimited: 'Sem limite',
  yes: 'Sim',
  no: 'Não',
} as const
