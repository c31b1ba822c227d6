/**
 * The ten questions of the home page and of the promotional pages. Answers say what the product
 * does today and what it costs.
 */
export const homeFaq = {
  title: 'Perguntas frequentes',
  more: 'Não achou sua resposta? Fale com a gente no WhatsApp.',
  ask: 'Falar no WhatsApp',
  close: {
    title: 'Hoje à noite, deixe a peneira trabalhar.',
    text: 'Escolha o plano. Comece com 7 dias grátis, sem cartão, e cancele quando quiser.',
    plans: 'Escolher um plano',
  },
  items: {
    'O que o Garimpo faz por mim?':
      'Procura promoções nas lojas, monta o post com o seu link de afiliado e envia para os seus grupos de WhatsApp e Telegram, nos horários que você definir.',
    'Preciso deixar o celular ou o computador ligado?':
      'Não. Depois de conectar os seus números e grupos, o robô trabalha 24 horas por dia, nos nossos servidores.',
    'Com quais lojas funciona?':
      'Amazon, Magalu, Mercado Livre, Shopee, Shein e AliExpress, além de lojas de beleza e moda e de uma rede de afiliados.',
    'Como entra o meu link de afiliado?':
      'Você cadastra os seus dados de afiliado uma vez. A partir daí, todo post sai com o seu link, e a comissão é sua.',
    'O WhatsApp pode bloquear o meu número?':
      'As regras de envio são do WhatsApp, e ele pode limitar um número que envia demais. Use um número só para os grupos e comece devagar: o intervalo de cada fila de envio é você quem define.',
    'O teste grátis precisa de cartão?':
      'Não. Você cria a conta e usa o plano Profissional por 7 dias, sem cadastrar forma de pagamento, com os limites do Elite Nível 1. Depois, escolhe um plano para continuar. Sem assinatura, nada é cobrado e os envios param.',
    'Posso mudar de plano depois?':
      'Pode, a qualquer momento. Ao subir, você paga só a diferença proporcional; quem paga por boleto adiciona um cartão antes. Ao descer, o valor que sobra vira crédito.',
    'Como funciona a garantia de 7 dias?':
      'Na primeira assinatura, você tem 7 dias corridos para pedir o valor de volta, inteiro. No cartão, o estorno aparece em 5 a 10 dias úteis; no boleto, a devolução é por Pix em até 30 dias.',
    'Quais são as formas de pagamento?': 'Cartão de crédito ou boleto, em reais.',
    'Como cancelo?':
      'Na área do usuário, quando quiser, sem taxa. O acesso continua até o fim do período que já está pago.',
  },
} as const
