/**
 * Every address of the site, once. Pages and features link through these constants only;
 * `routes/routes.ts` says which of them exist.
 */
export const paths = {
  home: '/',
  promoLanding: '/promo-landing',
  bio: '/bio',
  plans: '/planos',
  promoPlans: '/planos-promo',
  login: '/login',
  signUp: '/cadastro',
  terms: '/termos',
  privacy: '/politicas-de-privacidade',
  about: '/sobre',
  solutions: '/solucoes',
  forgotPassword: '/esqueci-senha',
  resetPassword: '/redefinir-senha',
  confirmEmail: '/confirmar-email',
  upsell: '/upsell',
  checkout: '/checkout',
  checkoutReturn: '/checkout-return',
  confirmPayment: '/confirmar-pagamento',
  account: '/area-usuario',
  paymentSuccess: '/payment-success',
  paymentCanceled: '/payment-canceled',
  paymentAwaited: '/payment-awaited',
  accountConfirmation: '/account-confirmation',
  accountDeleted: '/conta-excluida',
} as const

/** An address of the site. */
export type Path = (typeof paths)[keyof typeof paths]

/**
 * Second addresses of a page: they answer the same page, its canonical address is the first one.
 */
export const aliases = {
  [paths.home]: ['/home'],
  [paths.plans]: ['/selecionar-plano'],
  [paths.promoPlans]: ['/promo', '/afiliado'],
  [paths.signUp]: ['/signup'],
} as const satisfies Partial<Record<Path, readonly string[]>>

/** Anchor ids: of the home page, and of the comparison on the plans page. */
export const anchors = { plans: 'planos', solutions: 'solucoes', comparison: 'comparar' } as const

/**
 * The anchor on the privacy page that explains the choice about advertising; links to it open the
 * choice itself.
 */
export const PREFERENCES = `${paths.privacy}#preferencias`

/** The query of /area-usuario that names the plan of its change dialog, by id. */
export const WANTED_PLAN = 'plano'

/**
 * Where a subscriber changes to the plan of that id: the account, with its dialog open and the plan
 * chosen.
 */
export const planChangeOf = (id: string) => `${paths.account}?${WANTED_PLAN}=${id}`
