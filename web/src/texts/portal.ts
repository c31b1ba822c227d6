export const portal = {
  manage: 'Gerenciar Plano',
  error: 'Erro',
  emailMissing: 'Email não encontrado',
  unavailable: 'Não foi possível acessar o portal de gerenciamento de assinatura',
} as const
