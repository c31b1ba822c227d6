/** The pain-points section. */
export const painCards = {
  title: 'Garimpar na mão cansa',
  lead: 'Quem vive de grupo de ofertas conhece cada uma destas.',
  items: [
    {
      title: 'Horas atrás de oferta',
      text: 'Abrir loja por loja, todo dia, para achar o que ainda vale a pena.',
    },
    {
      title: 'Preço que já mudou',
      text: 'Quando o post sai, a promoção acabou e o grupo reclama.',
    },
    {
      title: 'Link errado, comissão perdida',
      text: 'Trocar o link de cada loja na mão é onde o dinheiro escapa.',
    },
    {
      title: 'Grupo parado',
      text: 'Sem post na hora certa, as pessoas silenciam, e depois saem.',
    },
    {
      title: 'Tudo no celular, ao mesmo tempo',
      text: 'Vários grupos, vários números, e você copiando e colando.',
    },
    {
      title: 'No escuro',
      text: 'Você não sabe qual grupo cresce, qual link recebe clique, o que repetir amanhã.',
    },
  ],
} as const
