/** The tabbed carousel: what its script needs. The slides' own words are in solution-slides.ts. */
export const solutionCarousel = {
  title: 'Do seu jeito: mande um link, faça um pedido ou deixe na fila',
  tabs: 'Ferramentas do Garimpo',
  names: ['Promotor Automático', 'Busca com IA', 'Filas de Envio'],
  pause: 'Pausar',
  resume: 'Continuar',
} as const
