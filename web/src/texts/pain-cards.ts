/** The pain-points section. */
export const painCards = {
  title: 'Garimpar na mão cansa',
  lead: 'Quem vive de grupo conhece todas.',
  items: {
    'Horas atrás de oferta': 'Abrir loja por loja, todo dia, para achar o que ainda vale a pena.',
    'Preço que já mudou': 'Quando o post sai, a promoção acabou e o grupo reclama.',
    'Link errado, comissão perdida': 'Trocar o link de cada loja na mão é onde o dinheiro escapa.',
    'Grupo parado': 'Sem post na hora certa, as pessoas silenciam, e depois saem.',
    'Tudo no celular, ao mesmo tempo': 'Vários grupos, vários números, e você copiando e colando.',
    'No escuro': 'Você não sabe qual grupo cresce, qual link recebe clique, o que repetir amanhã.',
  },
} as const
