/** After the sign-up and after the payment. */
export const nextSteps = {
  title: 'Seus próximos passos',
  close: 'Fechar os próximos passos',
  items: [
    {
      title: 'Conecte o WhatsApp',
      text: 'Entre no app, ligue o seu número aos grupos e cadastre os seus links de afiliado.',
    },
    { title: 'Diga o que seu público compra', text: 'Escolha as lojas, os produtos e o desconto mínimo.' },
    { title: 'Receba o primeiro post', text: 'Ele chega pronto no grupo, com o seu link de afiliado.' },
  ],
} as const

/** The pages after a checkout, and the one after a sign-up. */
export const paymentSuccess = {
  title: 'Pagamento confirmado!',
  text: 'Sua assinatura está ativa. Em instantes você recebe um email com os detalhes.',
  confirming: 'Confirmando o pagamento...',
  slow: 'Ainda estamos confirmando. Você também pode acompanhar pela sua conta.',
  plan: 'Plano',
  interval: 'Período',
  price: 'Valor pago',
  periodPrice: 'Preço',
  next: 'Próxima cobrança',
  nextValue: (amount: string, date: string) => `${amount} em ${date}`,
  withCredit: (next: string) => `${next}, já com o seu crédito`,
  guarantee: 'Garantia até',
  receipt: 'Ver recibo',
  app: 'Acessar a plataforma',
  account: 'Ver minha conta',
  /** First charged at the end of the trial. */
  set: {
    title: 'Assinatura confirmada!',
    text: 'Hoje nada foi cobrado. A primeira cobrança vem quando o seu teste grátis acabar.',
    price: 'Primeira cobrança',
  },
  returned: {
    title: 'Você já tinha uma assinatura ativa',
    by: {
      card: 'Por isso este pagamento foi devolvido: o valor volta no mesmo cartão, em 5 a 10 dias úteis. Sua assinatura continua como estava.',
      pix: 'Por isso este pagamento é devolvido por Pix, em até 30 dias, para a chave igual ao email da sua conta. Sua assinatura continua como estava.',
      credit:
        'Por isso o crédito que pagou esta compra volta a ser crédito da sua conta. Sua assinatura continua como estava.',
    } as Readonly<Record<string, string>>,
    price: 'Valor devolvido',
  },
  unknown: {
    title: 'Não encontramos este pagamento',
    text: 'Confira sua assinatura na sua conta. Se algo foi cobrado, ele aparece lá.',
    plans: 'Ver planos',
  },
} as const

export const paymentCanceled = {
  title: 'Pagamento cancelado',
  text: 'Nenhuma cobrança foi feita.',
  asking: 'Conferindo o pagamento',
  askingText: 'Leva só um instante.',
  slow: 'Está demorando mais que o normal. Se algo foi cobrado, aparece na sua conta.',
  account: 'Ver minha conta',
  kept: (plan: string) => `O plano ${plan} continua guardado, se você quiser retomar.`,
  boleto: 'Se você assinar de outro jeito, ele é cancelado. Além dele, nada foi cobrado.',
  resume: 'Retomar assinatura',
  trial: 'Você continua no plano Profissional, em teste grátis. Faltam:',
  plans: 'Voltar aos planos',
  app: 'Acessar a plataforma',
  subscribed: {
    title: 'Sua assinatura está ativa',
    text: 'Seu plano está liberado no app. Os detalhes estão na sua conta.',
  },
} as const

export const paymentAwaited = {
  title: 'Aguardando pagamento',
  text: 'Pague o boleto no app do seu banco. A confirmação leva até um dia útil, e esta página segue sozinha quando ela chegar. Pode fechá-la: o boleto fica também na sua conta.',
  textWithoutBoleto: 'Ainda não recebemos a confirmação. Esta página segue sozinha quando ela chegar.',
  view: 'Ver boleto',
  receipt: 'Enviar Comprovante',
  receiptMessage: 'Olá, segue o comprovante do meu boleto do Garimpo.',
  trial: 'Seu teste grátis do plano Profissional continua. Faltam:',
  open: {
    title: 'O checkout ainda está aberto',
    text: 'Nenhuma cobrança foi feita até aqui. Volte ao checkout para terminar.',
    back: 'Voltar ao checkout',
  },
  expired: {
    title: 'O prazo deste pagamento acabou',
    text: 'Nada foi cobrado. Escolha o plano de novo para pagar com cartão ou boleto.',
    plans: 'Voltar aos planos',
  },
} as const

export const accountConfirmation = {
  title: 'Conta criada com sucesso!',
  trial: '7 dias grátis',
  text: 'Seu teste do plano Profissional já começou. Não pedimos cartão e nada é cobrado ao final.',
  left: 'Seu teste termina em',
  none: 'Tempo de teste que resta',
  ended: 'Seu teste grátis terminou',
  over: 'Escolha um plano para continuar de onde parou.',
  used: 'O teste grátis deste email já foi usado. Escolha um plano para continuar.',
  subscribed: 'Sua assinatura está ativa e o seu plano já está liberado no app.',
  boleto: 'Seu boleto espera o pagamento. O plano é liberado quando o banco confirmar.',
  ready: 'Tudo pronto para você entrar no app.',
  account: 'Ver minha conta',
  progress: 'Tempo de teste usado',
  start: 'Começar Agora',
  plans: 'Ver planos',
} as const
