/** Words shared by every screen: header, footer, and what the small parts say. */
export const site = {
  loading: 'Carregando...',
  skip: 'Ir para o conteúdo',
  unheard: {
    title: 'Sem conexão',
    text: 'Não conseguimos falar com o servidor. Confira a internet e tente de novo.',
    again: 'Tentar novamente',
  },
  broken: {
    title: 'Esta página não abriu como devia',
    text: 'Recarregue para tentar de novo. Se continuar, fale com o suporte.',
    reload: 'Recarregar a página',
  },
} as const

/** Text of TOO_MANY_REQUESTS on every form. */
export const tooManyAttempts = 'Muitas tentativas. Tente novamente mais tarde'

/** Text of COOKIES_BLOCKED on the forms that open a session. */
export const cookiesBlocked =
  'Seu navegador está bloqueando cookies. Libere-os para este site e entre de novo.'

/** Opens the payment provider's portal; said on plan pages and in the user area. */
export const managePlan = 'Gerenciar Plano'

/** Written by the build beside a page, for a visitor whose scripts are off, late or lost. */
export const late = {
  title: 'Esta página está demorando para abrir',
  text: 'A conexão pode estar lenta ou ter caído. Recarregue para tentar de novo.',
  oldBrowser:
    'Este navegador é antigo demais para esta página. Atualize o navegador ou abra a página em outro.',
  off: 'Esta página precisa de JavaScript',
  offText: 'Ative-o no navegador e recarregue.',
  bar: 'Parte desta página ainda não chegou, e os botões esperam por ela.',
  plansBar: 'Para escolher um plano, recarregue a página: os botões ainda não chegaram.',
  reload: 'Recarregar a página',
  home: 'Ir para o início',
} as const

/** On prerendered pages with plans, where scripts are off or do not come; the contacts follow. */
export const plansNeedScript = {
  text: 'Para escolher um plano, ative o JavaScript no navegador e recarregue a página.',
  ask: 'Precisa de ajuda?',
  help: 'Central de Ajuda',
} as const

export const header = {
  home: 'Garimpo, página inicial',
  solutions: 'Soluções',
  plans: 'Planos',
  help: 'Central de Ajuda',
  account: 'Minha Conta',
  login: 'Login',
  trial: 'Testar grátis',
  app: 'Acessar App',
  openMenu: 'Abrir menu',
  closeMenu: 'Fechar menu',
  navigation: 'Principal',
} as const

export const footer = {
  home: 'Home',
  solutions: 'Soluções',
  plans: 'Planos',
  about: 'Sobre Nós',
  help: 'Central de Ajuda',
  terms: 'Termos de Uso',
  privacy: 'Políticas de Privacidade',
  preferences: 'Preferências de privacidade',
  product: 'Produto',
  company: 'Empresa',
  contact: 'Contato',
  social: 'Redes sociais',
  taxId: (id: string) => `CNPJ ${id}`,
  rights: (name: string) => `© ${name} · Todos os direitos reservados`,
} as const

export const field = { showPassword: 'Mostrar o que digitei', hidePassword: 'Ocultar o que digitei' } as const

export const toast = { region: 'Avisos', close: 'Fechar aviso' } as const

export const countdown = {
  label: 'Tempo restante',
  units: { days: 'dias', hours: 'horas', minutes: 'min', seconds: 'seg' },
  minutesLeft: (minutes: number) => (minutes === 1 ? '1 minuto' : `${minutes} minutos`),
} as const

/** After the text of a link, for screen readers. */
export const newTab = '(em nova aba)'

/** Shown if the browser refuses to copy: the text is selected then. */
export const copyRefused = {
  title: 'O navegador não deixou copiar',
  description: 'O código já está selecionado: é só copiar.',
} as const

/** The link to the provider's portal, which manages a subscription. */
export const portal = {
  opening: 'Abrindo...',
  error: 'Erro',
  emailMissing: 'Email não encontrado',
  unavailable: 'Não foi possível acessar o portal de gerenciamento de assinatura',
} as const
