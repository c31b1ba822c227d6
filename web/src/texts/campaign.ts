/** In the trial, while the campaign runs and ends before it. */
export const campaignEnds = (day: string) =>
  `Os preços da Black November valem até ${day}, antes de o seu teste grátis acabar. Para pagar menos no 1º mês, assine até lá.`
