/** The picture of a shared link, drawn by `npm run share-image` from the home page's own art. */
export const shareImage = {
  path: '/garimpo.jpg',
  width: 1200,
  height: 630,
  alt: 'A peneira do Garimpo com o ouro à mostra e, na frente, um celular com uma oferta pronta no grupo',
} as const
