import { product } from './products'

/** The slides of the carousel, each with what its drawing shows. */
export const solutionSlides = {
  promoter: {
    title: 'Promotor Automático',
    text: 'Mande o link de um produto em um grupo e o post volta pronto: seu link de afiliado, cupom e preço recalculado, enviado aos grupos que você escolheu.',
    group: 'Seu grupo promotor',
    pasted: 'loja.com.br/p/cafeteira-48213',
    post: product('cafeteira'),
    groups: ['Achados da Casa', 'Ofertas de Cozinha', 'Canal no Telegram'],
  },
  request: {
    title: 'Busca com IA',
    text: 'Diga o que seu público compra e receba só o que fica na peneira.',
    request: 'Beleza, até R$\u00a0120, 30% ou mais',
    refused: [
      { name: 'Batom líquido', fault: '-4%' },
      { name: 'Kit de pincéis', fault: 'frete alto' },
      { name: 'Protetor solar', fault: 'esgotado' },
      { name: 'Creme de mãos', fault: 'preço de ontem' },
    ],
    passed: product('serum'),
  },
  queues: {
    title: 'Filas de Envio',
    text: 'Cada grupo no seu ritmo, com intervalos, sem despejar tudo de uma vez.',
    list: [
      { group: 'Achados da Casa', every: 'a cada 20\u00a0min', times: ['09:00', '09:20', '09:40', '10:00'] },
      { group: 'Ofertas de Beleza', every: 'a cada 1\u00a0h', times: ['09:10', '10:10', '11:10', '12:10'] },
      { group: 'Canal no Telegram', every: 'a cada 3\u00a0h', times: ['08:00', '11:00', '14:00', '17:00'] },
    ],
  },
} as const
