/** The list of all partner stores. Static: sent as HTML alone. */
export const allStores = {
  all: 'Ver todas as lojas',
  groups: [
    { name: 'Marketplaces', stores: ['Amazon', 'Magalu', 'Mercado Livre', 'Shopee', 'AliExpress'] },
    { name: 'Moda', stores: ['Shein', 'Lojas de moda'] },
    { name: 'Beleza', stores: ['Lojas de beleza'] },
    { name: 'Outras marcas', stores: ['Outras marcas, pela rede de afiliados em que você tem cadastro'] },
  ],
} as const
