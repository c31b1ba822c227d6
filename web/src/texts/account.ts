import type { SubscriptionStatus } from '../api/subscription'

/** /area-usuario. */
export const account = {
  title: 'Minha Conta',
  loadFailed: 'Erro ao carregar dados do usuário',
  empty: {
    title: 'Nenhum dado encontrado',
    text: 'Entre de novo para ver a sua conta.',
    login: 'Voltar para o login',
  },
  profile: {
    title: 'Perfil',
    photo: (name: string) => `Foto de ${name}`,
    firstName: 'Nome',
    lastName: 'Sobrenome',
    email: 'Email',
    phone: 'WhatsApp',
    since: (date: string) => `Membro desde ${date}`,
    missing: 'Não informado',
  },
  subscription: {
    title: 'Assinatura',
    plan: 'Plano',
    status: 'Status',
    start: 'Início',
    end: 'Fim',
    interval: 'Período',
    price: 'Preço do plano',
    upgrade: 'Fazer Upgrade',
    changesLater: 'Depois da primeira cobrança, você pode trocar de plano aqui.',
    missing: 'N/A',
    notYet: 'A confirmar',
    unpaid: {
      title: {
        authentication: 'O banco pediu a sua confirmação',
        card: 'Pagamento não aprovado',
        first: 'Pagamento não aprovado',
        boleto: 'Boleto da renovação não pago',
        unknown: 'Renovação sem confirmação',
        disputed: 'Pagamento contestado no banco',
      },
      why: {
        authentication: 'Sem a sua confirmação, o banco não paga a renovação.',
        card: 'O pagamento da renovação não foi aprovado.',
        first: 'A primeira cobrança, no fim do teste grátis, não foi aprovada.',
        boleto:
          'O boleto da renovação venceu, e a confirmação do pagamento não chegou. Se você já pagou, ela chega em até um dia útil.',
        unknown: 'O resultado do pagamento da renovação ainda não chegou.',
        disputed: 'O banco do cartão abriu uma contestação do último pagamento.',
      },
      access: {
        suspended: 'Seu acesso está suspenso até um pagamento ser confirmado.',
        grace: 'Seu acesso continua por poucos dias: pague para não parar.',
      },
      /** A new card pays what is open. */
      due: (amount: string) =>
        `A cobrança de ${amount} está em aberto: ao salvar um cartão novo, ela é feita na hora.`,
      /** A late payment buys what is left of its period. */
      paysFrom: (start: string) => `Ela paga o período que começou em ${start}.`,
      /** Only the bank ends a dispute: another card changes nothing. */
      disputed:
        'Seu acesso está suspenso até o banco decidir. Se você não contestou a compra, fale com a gente.',
      confirm: 'Confirmar pagamento',
      update: 'Atualizar pagamento',
      payByCard: 'Pagar com cartão',
      /** The provider issues another boleto after one that expired. */
      nextBoleto: (day: string) => `O próximo boleto sai em ${day}. Para pagar antes, use um cartão.`,
      noBoleto: 'Não sai outro boleto desta fatura. Para pagar, use um cartão.',
      support: 'Falar com o suporte',
      supportMessage: 'Olá, meu acesso ao Garimpo está suspenso por uma contestação do pagamento.',
    },
    over: {
      title: 'Sua assinatura terminou',
      text: (plan: string) =>
        `O acesso ao ${plan} acabou. Escolha um plano para voltar a postar nos seus grupos.`,
      plans: 'Ver Planos Disponíveis',
    },
  },
  trial: {
    title: 'Você está no teste grátis',
    text: 'O plano Profissional está liberado para você. Faltam:',
    beside: {
      waits: 'Enquanto o pagamento não chega, o plano Profissional está liberado para você. Faltam:',
      set: 'Seu plano já está contratado, e a primeira cobrança vem quando o teste acabar. Faltam:',
    },
    until: (date: string) => `Seu teste vai até ${date}.`,
    /** In the last two days, and in the last hours. */
    soon: { title: 'Seu teste está acabando' },
    last: {
      title: (left: string) => `Os envios param em ${left}`,
      text: 'O plano Profissional está liberado para você até lá.',
    },
    offer: (plan: string, price: string) => `Para não parar: ${plan}, ${price}.`,
    /** A plan that was chosen: the button below names its price. */
    chosen: (plan: string) => `Para não parar, conclua a assinatura do ${plan}.`,
    firstMonth: (first: string, monthly: string) => `${first} no 1º mês, depois ${monthly}/mês`,
    monthly: (monthly: string) => `${monthly}/mês`,
    subscribe: (plan: string, price: string) => `Assinar o ${plan} por ${price}`,
    app: 'Acessar o App',
    plans: 'Conhecer os planos',
  },
  none: {
    title: 'Você não tem uma assinatura ativa',
    // Also for a new account of an email whose trial was used before.
    text: 'O teste grátis deste email terminou. Escolha um plano para postar nos seus grupos.',
    plans: 'Ver Planos Disponíveis',
  },
  unknown: {
    title: 'Não conseguimos ler sua assinatura',
    text: 'Nada mudou no seu plano. Confira a conexão e tente de novo.',
    partly:
      'Nada mudou no seu plano, mas por ora não mostramos valores, boleto, cancelamento e reembolso. Confira a conexão e tente de novo.',
    again: 'Tentar novamente',
  },
  payment: {
    receipt: 'Enviar Comprovante',
    receiptMessage: 'Olá, segue o comprovante do meu pagamento do Garimpo.',
    boleto: {
      title: 'Boleto aguardando pagamento',
      suspended: 'Seu acesso está suspenso',
      text: {
        purchase:
          'Pague até o vencimento. O plano é liberado quando o banco confirmar, em até um dia útil. Os seus dias contam da emissão do boleto.',
        renewal: 'É a renovação do seu plano. Pague até o vencimento para o acesso continuar.',
        grace: 'É a renovação do seu plano. Seu acesso continua por poucos dias: pague para não parar.',
        suspended: 'É a renovação do seu plano. Pague para o seu acesso voltar.',
      },
      open: 'Ver boleto',
    },
    confirming: {
      title: 'Pagamento em conferência',
      text: 'Ainda não temos a resposta do banco. Esta página se atualiza sozinha. Se você já pagou, não pague de novo.',
      again: 'Conferir agora',
    },
    overdue: {
      title: 'O boleto venceu',
      text: 'Já pagou? A confirmação chega em até um dia útil, e o plano é liberado sozinho. Se não pagou, gere outro.',
      another: 'Gerar novo boleto',
    },
    expired: {
      title: 'O prazo do seu pagamento acabou',
      text: (plan: string) =>
        `Não recebemos o pagamento do ${plan}. Se você já pagou, espere: o banco leva até um dia útil para confirmar. Se não pagou, tente de novo com cartão ou boleto.`,
      retry: 'Tentar de novo',
      dismiss: 'Dispensar',
    },
  },
} as const

/** subscription_active and subscription_status as labels. */
export const statusLabels = {
  active: 'Ativa',
  inactive: 'Inativa',
  processing: 'Processando',
  byStatus: {
    awaiting_payment: 'Aguardando pagamento',
    trialing: 'Em teste',
    active: 'Ativa',
    past_due: 'Pagamento em atraso',
    suspended: 'Suspensa',
    canceled: 'Cancelada',
  } satisfies Record<SubscriptionStatus, string>,
} as const

/** Ending a session, wherever it is ended from. */
export const logout = {
  button: 'Sair',
  busy: 'Saindo...',
  success: 'Logout realizado com sucesso',
  failed: 'Erro ao fazer logout',
} as const
