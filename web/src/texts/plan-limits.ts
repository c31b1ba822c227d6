/**
 * How a limit reads; `{n}` is the number. The wording is the catalogue's (a test compares them).
 */
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
  live_member_growth: 'Entradas e saídas de membros em tempo real',
  dashboard: 'Painel de resultados',
  report: 'Relatório completo de envios',
  live_views: 'Visualizações em tempo real',
}

/** A row of the comparison of plans: the name of a limit or feature, and one line on what it is. */
export interface Explanation {
  name: string
  text: string
}

/** Every resource of the catalogue, in its order. */
export const limitExplanations: Readonly<Record<string, Explanation>> = {
  whatsapp_numbers: { name: 'Números de WhatsApp', text: 'Os números que o robô usa para postar.' },
  whatsapp_groups: { name: 'Grupos de WhatsApp', text: 'Os grupos que recebem os seus posts no WhatsApp.' },
  telegram_groups: { name: 'Grupos de Telegram', text: 'Os grupos que recebem os seus posts no Telegram.' },
  whatsapp_channels: { name: 'Canais de WhatsApp', text: 'Postar também nos seus canais.' },
  telegram_bot_accounts: { name: 'Contas de bot no Telegram', text: 'O bot que posta nos seus grupos.' },
  automatic_promoters: {
    name: 'Promotores automáticos',
    text: 'Grupos em que você manda um link e o post volta pronto.',
  },
  queues: { name: 'Filas de envio', text: 'Cada fila posta no intervalo que você escolher.' },
  ai_searches: { name: 'Buscas com IA', text: 'Automações que procuram o que o seu público compra.' },
  monitorings: { name: 'Monitoramentos', text: 'Automações que acompanham por você o que merece atenção.' },
  routers: { name: 'Roteadores de envios', text: 'Mandam cada tipo de oferta para o grupo certo.' },
  templates: { name: 'Modelos de post', text: 'O formato dos seus posts, guardado para usar de novo.' },
  collaborator_bot_accounts: {
    name: 'Bots para colaboradores',
    text: 'Contas de bot para quem trabalha com você.',
  },
}

/** Every feature of the catalogue, in its order. */
export const featureExplanations: Readonly<Record<string, Explanation>> = {
  group_manager: { name: 'Gerenciador de grupos', text: 'Todos os seus grupos em um lugar.' },
  unique_invite_links: { name: 'Links de convite únicos', text: 'Você sabe de onde veio cada pessoa.' },
  click_tracking: { name: 'Rastreamento de cliques', text: 'Quais ofertas recebem clique.' },
  live_member_growth: { name: 'Entradas e saídas de membros', text: 'Você acompanha em tempo real.' },
  dashboard: { name: 'Painel de resultados', text: 'Os números dos seus grupos em uma tela.' },
  report: { name: 'Relatório completo de envios', text: 'O que saiu, quando e em que grupo.' },
  live_views: { name: 'Visualizações em tempo real', text: 'Quantas pessoas veem os seus posts.' },
}

/** Both kinds of groups in one row, where their limits are the same. */
export const bothGroupsExplanation: Explanation = {
  name: 'Grupos',
  text: 'No WhatsApp, mais o mesmo número no Telegram.',
}

export const planDifferences = {
  /** After a limit: what it is today. */
  today: (line: string, before: string) => `${line} (hoje ${before})`,
  unlimited: 'sem limite',
  only: (line: string) => `Só ${line}`,
  without: (what: string) => `Sem ${what}`,
} as const
