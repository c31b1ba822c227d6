/** How a limit reads; `{n}` is the number. The wording is the catalogue's (a test compares them). */
export interface Words {
  one: string
  many: string
  unlimited: string
}

const words = (one: string, many: string, unlimited: string): Words => ({
  one: `1 ${one}`,
  many: `{n} ${many}`,
  unlimited,
})

/** Every resource of the catalogue, in its order. */
export const limitWords: Readonly<Record<string, Words>> = {
  whatsapp_numbers: words('número de WhatsApp', 'números de WhatsApp', 'Números de WhatsApp ilimitados'),
  whatsapp_groups: words('grupo de WhatsApp', 'grupos de WhatsApp', 'Grupos de WhatsApp ilimitados'),
  telegram_groups: words('grupo de Telegram', 'grupos de Telegram', 'Grupos de Telegram ilimitados'),
  whatsapp_channels: words('canal de WhatsApp', 'canais de WhatsApp', 'Canais de WhatsApp'),
  telegram_bot_accounts: words(
    'conta de bot no Telegram',
    'contas de bot no Telegram',
    'Contas de bot no Telegram ilimitadas',
  ),
  automatic_promoters: words(
    'promotor automático',
    'promotores automáticos',
    'Promotores automáticos ilimitados',
  ),
  queues: words('fila de envio', 'filas de envio', 'Filas de envio ilimitadas'),
  ai_searches: words(
    'automação de busca com IA',
    'automações de busca com IA',
    'Automações de busca com IA ilimitadas',
  ),
  monitorings: words('monitoramento', 'monitoramentos', 'Monitoramentos ilimitados'),
  routers: words('roteador de envios', 'roteadores de envios', 'Roteadores de envios ilimitados'),
  templates: words('modelo de post', 'modelos de post', 'Modelos de post ilimitados'),
  collaborator_bot_accounts: words(
    'conta de bot para colaborador',
    'contas de bot para colaboradores',
    'Contas de bot para colaboradores ilimitadas',
  ),
}

/** WhatsApp and Telegram groups in one line, where their limits are the same. */
export const bothGroups: Words = {
  one: '1 grupo de WhatsApp e 1 de Telegram',
  many: '{n} grupos de WhatsApp e {n} de Telegram',
  unlimited: 'Grupos ilimitados de WhatsApp e Telegram',
}

export const featureWords: Readonly<Record<string, string>> = {
  group_manager: 'Gerenciador de grupos',
  unique_invite_links: 'Links de convite únicos',
  click_tracking: 'Rastreamento de cliques',
  live_member_growth: 'Evolução de membros ao vivo',
  dashboard: 'Painel de resultados',
  report: 'Relatório completo de envios',
  live_views: 'Visualizações ao vivo',
}

export const planDifferences = {
  /** After a limit: what it is today. */
  today: (line: string, before: string) => `${line} (hoje ${before})`,
  unlimited: 'sem limite',
  only: (line: string) => `Só ${line}`,
  without: (what: string) => `Sem ${what}`,
} as const
