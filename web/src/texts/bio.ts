import { brand } from './brand'

/** /bio, the link-in-bio page. */
export const bio = {
  title: brand.name,
  description:
    'Ofertas encontradas e postadas nos seus grupos de WhatsApp e Telegram, com o seu link de afiliado.',
  links: {
    site: 'Site oficial',
    trial: 'Teste grátis por 7 dias',
    coupon: 'Cupom de primeira assinatura',
    agent: 'Falar com um atendente no WhatsApp',
    support: 'Suporte',
    help: 'Central de Ajuda',
  },
  list: 'Links',
  rights: (name: string) => `© ${name}`,
} as const

/** Carried by every link of the page. */
export const bioUtm = { utm_source: 'instagram', utm_medium: 'bio', utm_campaign: 'perfil' } as const
