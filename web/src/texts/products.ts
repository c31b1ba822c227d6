import { formatCentavos } from '../lib/money'

/**
 * The products of all examples on the site, each with one price everywhere. None is a real offer.
 * An offer that passes the sieve is 30 to 45% off.
 */
const offers = {
  fritadeira: {
    title: 'Fritadeira sem óleo 4\u00a0L, 1500\u00a0W',
    before: 39990,
    now: 24790,
    coupon: 'CASA20',
  },
  tenis: { title: 'Tênis de corrida leve, do 34 ao 44', before: 31900, now: 18900, coupon: 'CORRE10' },
  fone: { title: 'Fone bluetooth, 40 horas de bateria', before: 22900, now: 14900, coupon: 'SOM5' },
  garrafa: { title: 'Garrafa térmica 1\u00a0L', before: 9990, now: 6890, coupon: 'GELO' },
  cafeteira: { title: 'Cafeteira elétrica 1,2\u00a0L', before: 21990, now: 13990, coupon: 'CAFE15' },
  serum: { title: 'Sérum facial 30\u00a0ml', before: 9990, now: 6790, coupon: 'PELE' },
  panela: { title: 'Panela de pressão 4,5\u00a0L', before: 17990, now: 11990, coupon: 'PANELA' },
  secador: { title: 'Secador de cabelo', before: 16990, now: 10990, coupon: 'CABELO' },
  relogio: { title: 'Relógio digital', before: 12990, now: 7990, coupon: 'HORA' },
  mochila: { title: 'Mochila para notebook', before: 15990, now: 9990, coupon: 'VOLTA' },
  toalhas: { title: 'Jogo de 4 toalhas', before: 12990, now: 7790, coupon: 'BANHO' },
  luminaria: { title: 'Luminária de mesa', before: 8990, now: 5890, coupon: 'LUZ' },
} as const

export type ProductId = keyof typeof offers

export interface Product<Id extends ProductId = ProductId> {
  id: Id
  title: string
  before: string
  now: string
  /** '-38%' */
  off: string
  coupon: string
  link: string
}

export function product<Id extends ProductId>(id: Id): Product<Id> {
  const { title, before, now, coupon } = offers[id]
  return {
    id,
    title,
    before: formatCentavos(before),
    now: formatCentavos(now),
    off: `-${Math.round(((before - now) / before) * 100)}%`,
    coupon,
    link: `seu.link/${id}`,
  }
}

export const productIds = Object.keys(offers) as ProductId[]
