/** The coupon of the code that brought the visitor, wherever prices are shown. */
export const keptCoupon = {
  label: 'Seu cupom',
  /** On the page that the link with the code leads to, and on the later ones. */
  here: (code: string) => `Seu cupom ${code} vale aqui.`,
  title: (code: string) => `Seu cupom ${code} ainda vale.`,
  plans: 'Os preços do 1º mês abaixo já estão com ele. Se você testar antes, ele fica guardado.',
  /** The lower of the two is shown, and one coupon is taken. */
  plansInCampaign: 'Abaixo, cada plano já está com o menor 1º mês: com ele ou com a Black November.',
  signUp: 'Ele fica guardado para quando você assinar.',
  account: 'Ele entra sozinho quando você assinar, a menos que uma campanha dê um preço menor.',
  upsell: 'Os valores abaixo já estão com ele.',
  /** Each period has the coupon of its lower price. */
  upsellLonger: (monthly: string) =>
    `Os períodos maiores já estão com ele; o mensal está com o cupom ${monthly}, que dá um 1º mês menor.`,
  refused: (code: string) => `O cupom ${code} é só para a primeira assinatura. Os preços abaixo são sem ele.`,
  see: 'Ver preços com o cupom',
  remove: 'Remover cupom',
} as const
