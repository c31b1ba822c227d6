/** /area-usuario. Spec sections 2, 4 and 8. */
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
    phone: 'Telefone',
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
    price: 'Valor',
    managing: 'Abrindo...',
    upgrade: 'Fazer Upgrade',
    ending: (date: string) => `Cancelada: o acesso continua até ${date}.`,
    renews: (date: string) => `Renova em ${date}.`,
    missing: 'N/A',
    unpaid: {
      title: 'Pagamento não aprovado',
      text: 'O pagamento da renovação não foi aprovado. Seu acesso está suspenso até um pagamento ser confirmado.',
      update: 'Atualizar pagamento',
    },
  },
  trial: {
    title: 'Você está no teste grátis',
    text: 'O plano Profissional está liberado para você. Faltam:',
    until: (date: string) => `Seu teste vai até ${date}.`,
    app: 'Acessar o App',
    plans: 'Conhecer os planos',
  },
  none: {
    title: 'Você não tem uma assinatura ativa',
    text: 'Seu teste grátis terminou. Escolha um plano para voltar a postar nos seus grupos.',
    plans: 'Ver Planos Disponíveis',
  },
  unknown: {
    title: 'Não conseguimos ler sua assinatura',
    text: 'Nada mudou no seu plano. Confira a conexão e tente de novo.',
    again: 'Tentar novamente',
  },
  boleto: {
    title: 'Boleto aguardando pagamento',
    open: 'Ver boleto',
  },
  finish: (plan: string) => `Concluir assinatura do plano ${plan}`,
} as const

/** subscription_active and subscription_status as labels. Spec section 4, subscription status label. */
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
  } as Readonly<Record<string, string>>,
} as const
