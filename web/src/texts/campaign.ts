/** In the trial, while the campaign runs and ends before it. */
export const campaignEnds = (day: string) =>
  `Os preços da Black November valem até ${day}, antes de o seu teste grátis acabar. Para ter o 1º mês mais barato do Elite Nível 1 ou de um Elite PRO, assine até lá.`
