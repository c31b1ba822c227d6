export const portal = {
  opening: 'Abrindo...',
  error: 'Erro',
  emailMissing: 'Email não encontrado',
  unavailable: 'Não foi possível acessar o portal de gerenciamento de assinatura',
} as const
