import { expect, test } from 'vitest'
import { campaignSubtitle } from '../catalog/catalog'
import { all_plans, campaign, guarantee_days, plans as levels, trial } from '../gen/catalog.json'
import { about } from './about'
import { allStores } from './all-stores'
import { bio } from './bio'
import { boletoDays } from './boleto'
import { brand } from './brand'
import { campaignSwap } from './campaign'
import { checkout } from './checkout'
import { features } from './features'
import { demo } from './hero-art'
import { homeFaq } from './home-faq'
import { hero, trialNote } from './landing'
import { figures } from './legal'
import { night } from './night'
import { painCards } from './pain-cards'
import { planComparison } from './plan-comparison'
import { planFinder } from './plan-finder'
import { plans } from './plans'
import { plansFaq } from './plans-faq'
import { promo, promoHero, promoProof } from './promo'
import { sampleDay } from './sample-day'
import { signUp } from './sign-up'
import { solutionSlides } from './solution-slides'
import { solutions } from './solutions'
import { steps } from './steps'
import { stores } from './stores'
import { terms } from './terms'
import { trust } from './trust'
import { trialFirst } from './upsell'

/** Texts of the marketing pages, without the sample products, groups and hours, and the panel. */
const marketingTexts = [
  about,
  allStores,
  bio,
  { ...features, growth: null },
  { ...homeFaq },
  hero,
  campaignSubtitle,
  trialNote,
  painCards,
  planComparison,
  { ...planFinder, choice: null },
  plans,
  plansFaq,
  promo,
  promoHero,
  campaignSwap,
  promoProof,
  [signUp.later, signUp.laterInCampaign],
  Object.values(solutionSlides).map(({ title, text }) => ({ title, text })),
  { title: solutions.title, lead: solutions.lead },
  ...[solutions.search, solutions.robot, solutions.catalog, solutions.creator, solutions.showcase].map(
    ({ title, text }) => ({ title, text }),
  ),
  stores,
  steps.items.map(({ verb, rest }) => ({ verb, rest })),
  { ...sampleDay, posts: null },
  { title: night.title, lead: night.lead },
  { ...trust, voucher: { ...trust.voucher, rules: trust.voucher.rules.text } },
]

/** Words that promise something: a number, a term, a price, a right. */
const PROMISES =
  /\d|grátis|garant|ilimitad|nunca|sempre|suporte|cartão|cance|taxa|comissão|diferença|crédito/i

const reais = (centavos: number) =>
  `R\\$\u00a0${(centavos / 100).toFixed(2).replace('.', ',').replace(/,00$/, '')}`
const elite = levels.find(({ id }) => id === 'elite_nivel_1')
const pro = levels.filter(({ group }) => group === 'Elite PRO')
const campaignCentavos = elite?.black_november?.first_month_centavos ?? 0
const proDiscounts = new Set(
  pro.map(
    ({ monthly, black_november }) => monthly.price_centavos - (black_november?.first_month_centavos ?? 0),
  ),
)

/** Accepted promises by their basis. A promise without an entry fails the test. */
const CLAIMS: Readonly<Record<string, readonly (RegExp | string)[]>> = {
  'the trial of the catalogue and the terms': [
    `(Testar|Teste) grátis por ${trial.days} dias`,
    `Comece com ${trial.days} dias grátis`,
    `${trial.days} dias com os limites do ${figures.trialLimitsOf}, sem cartão`,
    `us[ae] o plano ${trial.plan_name} por ${trial.days} dias, sem cadastrar (cartão|forma de pagamento)`,
    `com os limites do ${figures.trialLimitsOf}`,
    /Sem cartão|sem cartão/,
    /teste grátis( precisa de cartão\?)?/,
    /nada é cobrado sem você assinar|Sem assinatura, nada é cobrado/,
  ],
  'the guarantee of the catalogue and the terms': [
    `garantia de ${guarantee_days} dias( na primeira assinatura)?`,
    `você tem ${guarantee_days} dias corridos (a partir do pagamento )?para pedir o valor de volta`,
    /garantia na primeira assinatura/,
    // The first subscription alone, which the voucher's stub says.
    /Se não servir, o dinheiro volta/,
    /No cartão, o estorno é pedido na hora/,
    new RegExp(`^${figures.guaranteeDays} dias$`),
    `devolução é por Pix em até ${figures.pixRefundDays} dias`,
    // The bank's own term, as the payment provider states it.
    /No cartão, o estorno aparece em 5 a 10 dias úteis/,
  ],
  'cancellation and payment in the terms': [
    /Cancele quando quiser|cancele quando quiser|Como cancelo\?|cancelamento na área do usuário/,
    /Na área do usuário, quando quiser, sem taxa/,
    /Cartão de crédito ou boleto/,
    /No cartão o acesso é liberado na hora/,
    /você paga só a diferença proporcional; quem paga por boleto adiciona um cartão antes/,
    /o valor que sobra vira crédito( nas próximas cobranças)?/,
  ],
  'the campaign of the catalogue': [
    /O primeiro mês do Elite Nível 1 pelo preço do Top Afiliado/,
    `Até [^,]+, às 23:59`,
    `${reais([...proDiscounts][0] ?? 0)} a menos no primeiro mês de qualquer Elite PRO`,
    `qualquer Elite PRO por ${reais([...proDiscounts][0] ?? 0)} a menos`,
    /No primeiro mês, o Elite Nível 1 sai pelo preço do Top Afiliado/,
    `Até ${campaign.last_day.replace('/11', '')} de novembro`,
    // The swap is offered at equal prices alone (catalog/deals.ts).
    /sai pelo mesmo preço no 1º mês/,
    // The lower price is charged (docs/requirements.md).
    /No checkout entra o menor preço do 1º mês: o do cupom ou o da Black November/,
    /no 1º mês|^1º mês$|A partir do 2º mês/,
    /^Até \S+, às 23:59$/,
  ],
  'a price that holds until the end of the day': [/Este preço está garantido até as 23:59 de hoje/],
  'the bot of the product, which runs day and night': [
    /24\/7: dia e noite, todos os dias/,
    /24 horas por dia/,
  ],
  'the affiliate link of the subscriber, and a commission that nobody promises': [
    /a comissão é sua|A comissão é sua/,
    /O seu link, sempre/,
    /Comissão depende do seu público e das lojas/,
    /Link errado, comissão perdida/,
  ],
  'limits of the catalogue': [/começam no Elite Nível 1/],
  'the company, by its brand file': [
    /O Garimpo nasceu em 2024|Fundada em 2024|^2024$/,
    new RegExp(`^${brand.tax_id}$`),
    // A placeholder, as the contacts of the brand file are.
    new RegExp(`^${brand.support_hours}$`),
  ],
  'the privacy policy and the threat model': [
    /Os dados do cartão vão direto ao provedor de pagamento e não passam pelos nossos servidores/,
  ],
  'headings of a form or a list': [/^Suporte$/],
  'prices shown by the same component': [/O mesmo número do cartão do plano até a fatura/],
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'function') return texts(value('ELITE'))
  if (!value || typeof value !== 'object') return []
  // A question or a title may be the key of its answer.
  const titles = Object.keys(value).filter((key) => key.includes(' '))
  return [...titles, ...Object.values(value).flatMap(texts)]
}

const claims = Object.values(CLAIMS)
  .flat()
  .map((claim) => new RegExp(claim, 'gi'))

test('each promise of the sales pages rests on the terms, the catalogue or a stated fact', () => {
  for (const text of marketingTexts.flatMap(texts)) {
    const rest = claims.reduce((rest, claim) => rest.replace(claim, ''), text)
    expect.soft(rest, `without a basis: ${text}`).not.toMatch(PROMISES)
  }
})

test('each basis belongs to a promise that some page makes', () => {
  const all = marketingTexts.flatMap(texts)
  for (const claim of claims)
    expect
      .soft(
        all.some((text) => text.search(claim) >= 0),
        claim.source,
      )
      .toBe(true)
})

test('in Black November Elite Nível 1 costs as much as Top Afiliado, and each Elite PRO has one discount', () => {
  expect(campaignCentavos).toBe(levels.find(({ id }) => id === 'top_afiliado')?.monthly.price_centavos)
  expect([...proDiscounts]).toHaveLength(1)
})

test('the days of a boleto count from its issue, as in the terms, and the buyer reads that before', () => {
  const rule = 'o período pago conta do dia em que o boleto é emitido'
  expect(terms.sections.some(({ body }) => body.flat().join(' ').includes(rule))).toBe(true)
  expect(boletoDays).toContain('os dias contam da emissão')
  expect(trialFirst.charged).toContain(boletoDays)
  expect(Object.values(plansFaq.items).some((answer) => answer.includes(boletoDays))).toBe(true)
  expect(checkout.trial.charged('28/11/2026')).not.toContain('boleto')
})

test('the plan differences named in the solutions are those of the catalogue', () => {
  const onCards = all_plans.filter(({ on_cards }) => on_cards)
  for (const [word, limit] of [
    ['grupos', 'whatsapp_groups'],
    ['números', 'whatsapp_numbers'],
    ['canais', 'whatsapp_channels'],
    ['filas', 'queues'],
  ] as const) {
    expect(features.lead).toContain(word)
    expect(new Set(onCards.map(({ limits }) => limits[limit])).size, limit).toBeGreaterThan(1)
  }
  for (const [word, limit] of [
    ['Busca com IA', 'ai_searches'],
    ['promotor automático', 'automatic_promoters'],
    ['monitoramento', 'monitorings'],
    ['roteador', 'routers'],
  ] as const) {
    expect(features.lead).toContain(word)
    const without = onCards.filter(({ limits }) => limits[limit] === 0)
    expect(
      without.map(({ id }) => id),
      limit,
    ).toEqual(['top_afiliado'])
  }
  expect(demo.made).toBe('Promotor Automático: do Elite Nível 1 em diante.')
  for (const [word, feature] of [
    ['Gerenciador de grupos', 'group_manager'],
    ['cliques', 'click_tracking'],
    ['painel', 'dashboard'],
  ] as const) {
    expect(features.lead).toContain(word)
    const groups = onCards.filter((plan) => (plan.features as string[]).includes(feature))
    expect(new Set(groups.map(({ group }) => group)), feature).toEqual(new Set(['Elite PRO']))
  }
})

test('no page contains a phrase that is not true', () => {
  for (const text of marketingTexts.flatMap(texts))
    expect(text).not.toMatch(
      /suporte 24|sem print montado|ninguém silencia|termina em|só hoje|últimas vagas/i,
    )
})
