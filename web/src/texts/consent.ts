/**
 * The question about advertising, and what can be chosen. A change of its text needs a new version.
 */
export const consent = {
  /** Kept with every answer: which text it was given to. */
  version: '2026-11.3',
  label: 'Sua privacidade',
  text: 'Podemos medir anúncios com Meta e Google?',
  more: 'Saiba mais',
  accept: 'Aceitar',
  refuse: 'Recusar',
  dialog: {
    title: 'Preferências de privacidade',
    lead: 'Você decide, e pode mudar de ideia quando quiser. Sem a medição, nada muda para você.',
    policy: 'Políticas de Privacidade',
    essential: {
      title: 'Essenciais',
      text: 'Mantêm você conectado e guardam o plano escolhido e a campanha de onde você veio. Sempre ligados.',
    },
    counting: {
      title: 'Contagem de visitas',
      text: 'Somamos quantas visitas chegam a cada passo do site, sem nada que identifique você. Sempre ligada.',
    },
    ads: {
      title: 'Medição de anúncios',
      text: 'Avisamos plataformas de anúncios (Meta e Google) do cadastro, do início e do fim da compra e do pagamento. Email, nome e telefone saem transformados em códigos.',
    },
    back: 'Voltar',
    save: 'Salvar escolha',
  },
} as const
