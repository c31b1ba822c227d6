/** The three steps after the hero, and what the phone of each step shows. */
export const steps = {
  title: 'Conecte, escolha, acompanhe',
  items: [
    {
      verb: 'Conecte',
      rest: 'o seu WhatsApp e o seu Telegram, e cadastre os seus links de afiliado.',
      screen: {
        title: 'Conexões',
        rows: ['WhatsApp', 'Telegram', 'Seu link'],
        done: 3,
      },
    },
    {
      verb: 'Escolha',
      rest: 'o que o seu público compra e os grupos que recebem.',
      screen: {
        title: 'Grupos',
        chips: ['Casa', 'até R$\u00a0300', '30% ou mais'],
        rows: ['Achados da Casa', 'Telegram'],
        done: 2,
      },
    },
    {
      verb: 'Acompanhe',
      rest: 'os posts que saem na hora marcada, e ajuste quando quiser.',
      screen: {
        title: 'Fila de hoje',
        rows: ['03:12 Fritadeira', '05:30 Garrafa', '07:15 Mochila', '09:00 Toalhas'],
        done: 2,
      },
    },
  ],
} as const
