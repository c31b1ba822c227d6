/** Questions and answers of the plans pages. */
export const plansFaq = {
  title: 'Perguntas sobre os planos',
  items: {
    'Como funciona o teste grátis?':
      'Crie a conta e use o plano Profissional por 7 dias, sem cadastrar cartão, com os limites do Elite Nível 1. Quando o teste acaba, você escolhe um plano para continuar; nada é cobrado sem você assinar.',
    'Como funciona a garantia de 7 dias?':
      'Na primeira assinatura, você tem 7 dias corridos a partir do pagamento para pedir o valor de volta, inteiro, pela área do usuário. No cartão, o estorno aparece em 5 a 10 dias úteis. No boleto, a devolução é por Pix em até 30 dias, e a chave Pix precisa ser o email da assinatura.',
    'Quais são as formas de pagamento?':
      'Cartão de crédito ou boleto, em reais. No cartão o acesso é liberado na hora. No boleto, o acesso é liberado quando o banco confirma o pagamento, e os dias contam da emissão: pague logo.',
    'Posso mudar de plano depois?':
      'Pode, a qualquer momento. Ao subir de plano, você paga só a diferença proporcional; quem paga por boleto adiciona um cartão antes. Ao descer, o valor que sobra vira crédito nas próximas cobranças.',
  },
  helpText: 'Ficou alguma dúvida?',
  helpLink: 'Veja a Central de Ajuda',
} as const
