/** The three steps after the hero. Static: sent as HTML alone. */
export const steps = {
  title: 'Conecte, escolha, acompanhe',
  items: [
    { verb: 'Conecte', rest: 'o seu WhatsApp e o seu Telegram, e cadastre os seus links de afiliado.' },
    { verb: 'Escolha', rest: 'o que o seu público compra e os grupos que recebem.' },
    { verb: 'Acompanhe', rest: 'os posts que saem na hora marcada, e ajuste quando quiser.' },
  ],
} as const
