/** The solutions section: five features, each with what its drawing shows. */
export const solutions = {
  title: 'A peneira trabalha, você recebe o ouro',
  lead: 'Do anúncio na loja ao post no grupo, cada etapa tem uma ferramenta.',
  search: {
    title: 'Busca de promoções com IA',
    text: 'Diga o que o seu público compra. O Garimpo olha as lojas e separa o que passa na peneira.',
    filters: ['Casa', 'até R$\u00a0300', '30% ou mais'],
    results: [
      { name: 'Panela antiaderente', off: '-6%', passes: false },
      { name: 'Fritadeira sem óleo 4\u00a0L', off: '-38%', passes: true },
      { name: 'Jogo de taças', off: '-4%', passes: false },
      { name: 'Varal de chão', off: '-9%', passes: false },
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
    offers: [
      { kind: 'phones', price: 'R$\u00a0149', off: '-25%' },
      { kind: 'shoe', price: 'R$\u00a0189', off: '-40%' },
      { kind: 'bottle', price: 'R$\u00a069', off: '-31%' },
    ],
  },
  creator: {
    title: 'Criador de imagens e textos',
    text: 'A arte e a legenda saem prontas, com o preço certo e o seu link de afiliado.',
    post: {
      kind: 'shoe',
      price: 'R$\u00a0189',
      lines: ['Tênis de corrida leve', 'De R$\u00a0319 por R$\u00a0189', 'Cupom CORRE10'],
      link: 'seu.link/tenis',
    },
  },
  showcase: {
    title: 'Vitrine no seu próprio domínio',
    text: 'Um site seu, com as suas ofertas, para quem não está nos grupos.',
    address: 'seudominio.com.br',
    shop: 'Achados da Ana',
  },
} as const
