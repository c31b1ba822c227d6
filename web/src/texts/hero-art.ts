/** What the sieve lets pass, as a finished post. The offer is an example, the link is nobody's. */
export const post = {
  caption: 'Exemplo de post pronto, enviado ao grupo de madrugada',
  group: 'Achados da Casa',
  by: 'Garimpo',
  title: 'Fritadeira sem óleo 4 L, 1500 W',
  was: 'De',
  wasPrice: 'R$ 399,90',
  now: 'por',
  nowPrice: 'R$ 249,90',
  coupon: 'Cupom CASA20',
  link: 'seu.link/fritadeira',
  time: '03:12',
} as const

/** Texts on the tags that fall into the sieve: the noise of the stores. */
export const tags = [
  '-3%',
  'R$ 899',
  'esgotado',
  '-5%',
  'R$ 1.249',
  '-7%',
  'sem frete',
  '-2%',
  'R$ 59',
] as const
