/** The slides of the carousel, each with what its drawing shows. Static: sent as HTML alone. */
export const solutionSlides = {
  promoter: {
    title: 'Promotor Automático',
    text: 'Mande o link de um produto em um grupo e o post volta pronto: seu link de afiliado, cupom e preço recalculado, enviado aos grupos que você escolheu.',
    group: 'Seu grupo promotor',
    pasted: 'loja.com.br/p/cafeteira-48213',
    post: 'Cafeteira elétrica 1,2\u00a0L',
    was: 'R$\u00a0219,90',
    now: 'R$\u00a0139,90',
    coupon: 'CAFE15',
    link: 'seu.link/cafeteira',
    groups: ['Achados da Casa', 'Ofertas de Cozinha', 'Canal no Telegram'],
  },
  request: {
    title: 'Busca com IA',
    text: 'Diga o que seu público compra e receba só o que passa na peneira.',
    request: 'Beleza, até R$\u00a0120, 25% ou mais',
    refused: [
      { name: 'Batom líquido', off: '-4%' },
      { name: 'Kit de pincéis', off: '-9%' },
      { name: 'Protetor solar', off: '-2%' },
      { name: 'Secador de viagem', off: 'R$\u00a0189' },
    ],
    passed: { name: 'Sérum facial 30\u00a0ml', off: '-32%', price: 'R$\u00a067,90' },
  },
  queues: {
    title: 'Filas de Envio',
    text: 'Cada grupo no seu ritmo, com intervalos, sem despejar tudo de uma vez.',
    list: [
      { group: 'Achados da Casa', every: 'a cada 20 min', times: ['09:00', '09:20', '09:40', '10:00'] },
      { group: 'Ofertas de Beleza', every: 'a cada 1 h', times: ['09:10', '10:10', '11:10', '12:10'] },
      { group: 'Canal no Telegram', every: 'a cada 3 h', times: ['08:00', '11:00', '14:00', '17:00'] },
    ],
    sent: 'Enviado',
  },
} as const
