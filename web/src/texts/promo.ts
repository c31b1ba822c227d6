/** /planos-promo and /promo-landing. The texts of a code come with the catalogue. */
export const promo = {
  plansTitle: 'Escolha o plano e pague menos no primeiro mês',
  plansLead:
    'O cupom entra sozinho no checkout e fica guardado se você testar antes. Depois do primeiro mês vale o preço normal do plano.',
  plansLeadCampaign:
    'No checkout entra o menor preço do 1º mês: o do cupom ou o da Black November. Depois vale o preço normal do plano.',
  plansLeadOwn:
    'O cupom vale no primeiro pagamento de uma assinatura nova. Para mudar de plano, os preços são estes.',
  withCoupon: (code: string) => `Com o cupom ${code}`,
  campaign: 'Black November, melhor que o seu cupom',
  coupon: 'Cupom',
  copy: 'Copiar cupom',
  copied: 'Cupom copiado!',
  standard: 'Sem JavaScript a página mostra o cupom padrão, e não o do seu link.',
  today: 'Este preço está garantido até as 23:59 de hoje',
} as const

/** Texts of the head of the promotional pages that come from neither the code nor the catalogue. */
export const promoHero = {
  /** The name of the title while its code is unknown. */
  pending: 'Sua promoção',
  /** The title for a visitor who cannot use the code. */
  withheld: 'Mais grupos, mais posts, menos trabalho',
  // Not 'com desconto': a subscriber sees the prices of a change.
  action: 'Ver os planos',
  note: 'Garantia de 7 dias na primeira assinatura. Cancele quando quiser.',
  ticket: '1º mês',
  percent: (percent: number) => `-${percent}%`,
} as const

/** /promo-landing: the part in place of testimonials, which we do not have. */
export const promoProof = {
  title: 'É isto que chega no seu grupo',
  lead: 'É assim que o post chega: com o seu link, na hora marcada.',
  items: [
    { title: 'O preço conferido', text: 'Se o valor mudou na loja, o post sai com o novo.' },
    { title: 'O seu link, sempre', text: 'Cada loja com o seu cadastro de afiliado. A comissão é sua.' },
    { title: 'No ritmo do grupo', text: 'A fila espaça os envios para o grupo não cansar.' },
  ],
} as const
