/** The partner stores. Names as text, never logos. */
export const stores = {
  title: 'Uma peneira, muitas lojas',
  lead: 'O Garimpo procura onde o seu público compra e troca o link de cada loja pelo seu.',
  track: 'Lojas parceiras',
  pause: 'Pausar',
  resume: 'Continuar',
  names: ['Amazon', 'Magalu', 'Mercado Livre', 'Shopee', 'Shein', 'AliExpress'],
} as const
