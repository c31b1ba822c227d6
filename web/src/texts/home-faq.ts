/**
 * The ten questions of the landing page. Answers say what the product does today and what it costs.
 */
export const homeFaq = {
  title: 'Perguntas frequentes',
  more: 'Não achou sua dúvida? Fale com a gente no WhatsApp.',
  ask: 'Falar no WhatsApp',
  close: {
    title: 'Hoje à noite, deixe a peneira trabalhar.',
    text: 'Escolha o plano hoje e cancele quando quiser.',
    plans: 'Escolher um plano',
  },
  items: [
    {
      question: 'O que o Garimpo faz por mim?',
      answer:
        'Procura promoções nas lojas, monta o post com o seu link de afiliado e envia para os seus grupos de WhatsApp e Telegram, nos horários que você definir.',
    },
    {
      question: 'Preciso deixar o celular ou o computador ligado?',
      answer:
        'Não. Depois de conectar os seus números e grupos, o robô trabalha 24 horas por dia, nos nossos servidores.',
    },
    {
      question: 'Com quais lojas funciona?',
      answer:
        'Amazon, Magalu, Mercado Livre, Shopee, Shein e AliExpress, além de lojas de beleza e moda e de uma rede de afiliados.',
    },
    {
      question: 'Como entra o meu link de afiliado?',
      answer:
        'Você cadastra os seus dados de afiliado uma vez. A partir daí, todo post sai com o seu link, e a comissão é sua.',
    },
    {
      question: 'O teste grátis precisa de cartão?',
      answer:
        'Não. Você cria a conta e usa o plano Profissional por 7 dias, sem cadastrar forma de pagamento, com os limites do Elite Nível 1.',
    },
    {
      question: 'O que acontece quando o teste acaba?',
      answer: 'Você escolhe um plano para continuar. Sem assinatura, nada é cobrado e os envios param.',
    },
    {
      question: 'Posso mudar de plano depois?',
      answer:
        'Pode, a qualquer momento. Ao subir, você paga só a diferença proporcional; quem paga por boleto adiciona um cartão antes. Ao descer, o valor que sobra vira crédito.',
    },
    {
      question: 'Como funciona a garantia de 7 dias?',
      answer:
        'Na primeira assinatura, você tem 7 dias corridos para pedir o valor de volta, inteiro. No cartão, o estorno aparece em 5 a 10 dias úteis; no boleto, a devolução é por Pix em até 30 dias.',
    },
    {
      question: 'Quais são as formas de pagamento?',
      answer: 'Cartão de crédito ou boleto, em reais.',
    },
    {
      question: 'Como cancelo?',
      answer:
        'Na área do usuário, quando quiser, sem taxa. O acesso continua até o fim do período que já está pago.',
    },
  ],
} as const
