/** /solucoes: every feature, by what it is for, and where to get help. */
export const features = {
  title: 'Tudo o que vem no app',
  lead: 'Busca com IA, promotor automático, monitoramento e roteador começam no Elite Nível 1. Gerenciador de grupos, cliques e painel vêm no Elite PRO. Grupos, números, canais e filas mudam de um plano para outro.',
  compare: 'Compare os planos',
  groups: [
    {
      title: 'Encontrar',
      items: [
        { name: 'Busca de promoções com IA', text: 'separa o que o seu público compra' },
        { name: 'Catálogo de promoções', text: 'as ofertas já encontradas, para escolher na mão' },
        { name: 'Automações de monitoramento', text: 'acompanham por você o que merece atenção' },
      ],
    },
    {
      title: 'Criar',
      items: [
        { name: 'Promotor Automático', text: 'um link vira post com o seu link, cupom e preço recalculado' },
        { name: 'Criador de imagens e textos', text: 'arte e legenda prontas' },
        { name: 'Vitrine no seu domínio', text: 'um site com as suas ofertas' },
      ],
    },
    {
      title: 'Enviar',
      items: [
        { name: 'Robô para WhatsApp e Telegram', text: '24/7: dia e noite, todos os dias' },
        { name: 'Filas de envio com intervalos', text: 'cada grupo no seu ritmo' },
        { name: 'Agendamento de posts', text: 'o dia e a hora que você escolher' },
        { name: 'Disparador em massa', text: 'uma mensagem para todos os grupos que você marcar' },
        { name: 'Roteador de envios', text: 'cada tipo de oferta no grupo certo' },
      ],
    },
    {
      title: 'Crescer',
      items: [
        { name: 'Gerenciador de grupos', text: 'todos os seus grupos em um lugar' },
        { name: 'Links de convite únicos', text: 'você sabe de onde veio cada pessoa' },
        { name: 'Rastreamento de cliques', text: 'quais ofertas recebem clique' },
        { name: 'Entradas e saídas de membros', text: 'você acompanha em tempo real' },
        { name: 'Painel e relatório completo de envios', text: 'o que saiu, quando e em que grupo' },
        { name: 'Análises de desempenho', text: 'o que deu resultado, para repetir amanhã' },
      ],
    },
  ],
  growth: {
    caption: 'Exemplo do painel de um grupo: membros, link de convite e cliques',
    group: 'Achados da Casa',
    members: 'membros',
    count: '1.284',
    today: '+18 hoje',
    invite: 'convite.link/achados-bio',
    clicks: 'cliques no link',
    clickCount: '312',
  },
  support: {
    title: 'Fale com gente',
    text: 'Chat dentro do app, WhatsApp e Central de Ajuda.',
    whatsapp: 'Falar no WhatsApp',
    help: 'Central de Ajuda',
  },
} as const
