/** In the trial, while the campaign runs and ends before it. */
export const campaignEnds = (day: string) =>
  `Os preços da Black November valem até ${day}, antes de o seu teste grátis acabar. Para ter o 1º mês mais barato do Elite Nível 1 ou de um Elite PRO, assine até lá.`

/** On /upsell, for a plan that costs as much as another one in its first month of the campaign. */
export const campaignSwap = {
  text: (lastDay: string, plan: string) => `Até ${lastDay}, o ${plan} sai pelo mesmo preço no 1º mês.`,
  later: (monthly: string) => `Depois, ${monthly}/mês.`,
  swap: 'Trocar',
} as const
