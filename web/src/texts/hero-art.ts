import { product } from './products'

/** Examples of products: the link that is pasted, and the post that comes out. No link is real. */
export const demo = {
  caption: 'Exemplo: o link de um produto vira post pronto no grupo',
  pasted: 'Link colado:',
  pick: 'Troque o link e veja o post',
  promoter: 'Seu grupo promotor',
  example: 'Exemplo',
  was: 'De',
  now: 'por',
  coupon: (code: string) => `Cupom ${code}`,
  made: 'Promotor Automático: do Elite Nível 1 em diante.',
  sentTo: (groups: number) => `Enviado para ${groups} grupos`,
  products: [
    {
      ...product('fritadeira'),
      name: 'Fritadeira',
      pasted: 'amazon.com.br/fritadeira-4l',
      groups: 3,
      time: '03:12',
    },
    {
      ...product('tenis'),
      name: 'Tênis',
      pasted: 'mercadolivre.com.br/tenis-corrida',
      groups: 2,
      time: '12:40',
    },
    {
      ...product('fone'),
      name: 'Fone',
      pasted: 'shopee.com.br/fone-bluetooth',
      groups: 2,
      time: '19:05',
    },
  ],
} as const

export type DemoProduct = (typeof demo.products)[number]

/** What the sieve refuses, and where it lies on the mesh. */
export const rejects = [
  { text: '-4%', x: 355, y: 98, turn: -10, width: 74 },
  { text: 'esgotado', x: 372, y: 162, turn: 8, width: 112 },
  { text: 'frete alto', x: 372, y: 452, turn: -7, width: 118 },
  { text: 'preço de ontem', x: 345, y: 522, turn: 6, width: 150 },
] as const
