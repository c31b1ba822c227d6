import settings from './settings.json'

/**
 * The figures that the legal texts promise. `legal.test.ts` compares them with the generated
 * catalogue, and a test of `cli/src/config` compares `settings.json` with the product's defaults.
 */
export const figures = {
  updated: '29 de abril de 2025',
  trialDays: 7,
  trialPlan: 'Profissional',
  /** The plan for sale that has the same limits. */
  trialLimitsOf: 'Elite Nível 1',
  guaranteeDays: 7,
  cardRefundBusinessDays: [5, 10],
  pixRefundDays: 30,
  noticeDays: 30,
  periodDays: [30, 90, 180, 365],
  offerMonths: [3, 6, 12],
  passwordMinimum: settings.GARIMPO_PASSWORD_MINIMUM,
  renewalHours: settings.GARIMPO_RENEWAL_HOURS,
  graceDays: settings.GARIMPO_GRACE_DAYS,
  boletoGraceDays: settings.GARIMPO_BOLETO_GRACE_DAYS,
  sessionDays: settings.session_days,
  sessionDaysAtMost: settings.session_days_at_most,
  /** Where a visitor came from. */
  originDays: 90,
  /** How long an arrival stays with its account, and visits are counted. */
  arrivalDays: 490,
  countDays: 400,
} as const

/** A legal page: its sections, each paragraph or list in order. */
export interface LegalText {
  title: string
  lead: string
  sections: readonly {
    id: string
    title: string
    body: readonly (string | readonly string[])[]
  }[]
}

export const legal = {
  updated: `Última atualização: ${figures.updated}`,
  contents: 'Nesta página',
  company: {
    title: 'Quem somos',
    name: 'Razão social',
    taxId: 'CNPJ',
    address: 'Endereço',
    email: 'Email',
    phone: 'Telefone',
  },
} as const
