/**
 * The figures that the legal texts promise. `legal.test.ts` compares them with the rules, the catalogue and the
 * settings: whoever changes one of those is told that a text says otherwise.
 */
export const figures = {
  updated: '29 de abril de 2025',
  trialDays: 7,
  trialPlan: 'Profissional',
  guaranteeDays: 7,
  cardRefundBusinessDays: [5, 10],
  pixRefundDays: 30,
  noticeDays: 30,
  periodDays: [30, 90, 180, 365],
  offerMonths: [3, 6, 12],
  passwordMinimum: 6,
  /** GARIMPO_RENEWAL_HOURS, GARIMPO_GRACE_DAYS, GARIMPO_BOLETO_GRACE_DAYS: their defaults. */
  renewalHours: 24,
  graceDays: 0,
  boletoGraceDays: 3,
  /** server/src/auth/sessions.rs. */
  sessionDays: 14,
  sessionDaysAtMost: 90,
  /** server/domain/src/attribution.rs and lib/touches.ts: where a visitor came from. */
  originDays: 90,
  /** The same file: how long an arrival stays with its account, and visits are counted. */
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
