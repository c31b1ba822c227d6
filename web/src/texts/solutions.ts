import { product } from './products'

const creation = product('tenis')

/** The solutions section: five features, each with what its drawing shows. */
export const solutions = {
  title: 'A peneira trabalha, você recebe o ouro',
  lead: 'Da loja ao grupo, uma ferramenta por etapa.',
  search: {
    title: 'Busca de promoções com IA',
    text: 'Diga o que o seu público compra. O Garimpo olha as lojas e separa o que fica na peneira.',
    filters: ['Casa', 'até R$\u00a0300', '30% ou mais'],
    passed: product('fritadeira'),
    /** From the top of the sieve to its bottom. */
    refused: [
      { name: 'Panela antiaderente', fault: '-4%' },
      { name: 'Jogo de taças', fault: 'frete alto' },
      { name: 'Varal de chão', fault: 'esgotado' },
      { name: 'Cobre-leito', fault: 'preço de ontem' },
      { name: 'Cafeteira italiana', fault: '-2%' },
      { name: 'Tapete de sala', fault: 'frete alto' },
    ],
  },
  robot: {
    title: 'Robô para WhatsApp e Telegram, 24 horas por dia',
    text: 'O post sai na hora marcada, mesmo com o seu celular desligado.',
    phone: { name: 'Seu celular', state: 'desligado' },
    sent: [
      { time: '00:40', group: 'Achados da Casa' },
      { time: '03:12', group: 'Ofertas de Beleza' },
      { time: '06:05', group: 'Canal no Telegram' },
    ],
  },
  catalog: {
    title: 'Catálogo de promoções',
    text: 'Prefere escolher? As ofertas já encontradas ficam organizadas, prontas para enviar.',
    offers: [product('fone'), product('tenis'), product('fritadeira')],
  },
  creator: {
    title: 'Criador de imagens e textos',
    text: 'A arte e a legenda saem prontas, com o preço certo e o seu link de afiliado.',
    post: {
      ...creation,
      lines: [
        'Tênis de corrida leve',
        `De ${creation.before} por ${creation.now}`,
        `Cupom ${creation.coupon}`,
      ],
    },
  },
  showcase: {
    title: 'Vitrine no seu próprio domínio',
    text: 'Um site seu, com as suas ofertas, para quem não está nos grupos.',
    address: 'seudominio.com.br',
    shop: 'Achados da Ana',
  },
} as const
