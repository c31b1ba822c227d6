import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { guarantee_days, intervals, trial } from '../gen/catalog.json'
import { consent } from './consent'
import { homeFaq } from './home-faq'
import { figures } from './legal'
import { plansFaq } from './plans-faq'
import { privacy } from './privacy'
import { terms } from './terms'

const source = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const numberIn = (path: string, pattern: RegExp) => Number(pattern.exec(source(path))?.[1])
const section = (text: typeof terms, id: string) => {
  const found = text.sections.find((each) => each.id === id)
  if (!found) throw new Error(`no section ${id}`)
  return found.body.flat().join('\n')
}

test('os números dos textos legais são os das regras e do catálogo', () => {
  expect(figures.trialDays).toBe(trial.days)
  expect(figures.trialPlan).toBe(trial.plan_name)
  expect(figures.guaranteeDays).toBe(guarantee_days)
  expect(figures.periodDays).toEqual(intervals.map(({ days }) => days))
  expect(figures.offerMonths).toEqual(intervals.slice(1).map(({ months }) => months))
  const guarantee = 'server/domain/src/guarantee.rs'
  expect(numberIn(guarantee, /GUARANTEE_DAYS: i64 = (\d+)/)).toBe(figures.guaranteeDays)
  expect(numberIn(guarantee, /PIX_REFUND_DAYS: i64 = (\d+)/)).toBe(figures.pixRefundDays)
  const sessions = 'server/src/auth/sessions.rs'
  expect(numberIn(sessions, /SLIDING_DAYS: i64 = (\d+)/)).toBe(figures.sessionDays)
  expect(numberIn('server/domain/src/attribution.rs', /LIVES_DAYS: i64 = (\d+)/)).toBe(figures.originDays)
  expect(numberIn('server/domain/src/attribution.rs', /\bKEPT_DAYS: i64 = (\d+)/)).toBe(figures.countDays)
  expect(figures.arrivalDays).toBe(figures.countDays + figures.originDays)
  expect(source('server/domain/src/attribution.rs')).toContain(
    'ARRIVAL_KEPT_DAYS: i64 = KEPT_DAYS + LIVES_DAYS',
  )
  expect(numberIn('web/src/lib/touches.ts', /LIVES_MS = (\d+) \* 86_400_000/)).toBe(figures.originDays)
  expect(numberIn(sessions, /ABSOLUTE_DAYS: i64 = (\d+)/)).toBe(figures.sessionDaysAtMost)
})

test('o que a privacidade diz da resposta sobre anúncios e de seus prazos é a regra do servidor', () => {
  const rule = source('server/domain/src/consent.rs')
  expect(rule).toContain(`TEXT_VERSION: &str = "${consent.version}"`)
  expect(rule).toContain('LIVES_DAYS: i64 = 365')
  expect(source('web/src/lib/consent.ts')).toContain('LIVES_MS = 365 * 86_400_000')
  expect(section(privacy, 'preferencias')).toContain('vale por 1 ano ou até o texto da pergunta mudar')
  expect(section(privacy, 'prazo')).toContain(
    '8 dias depois se ele não puder sair; o registro do aviso fica 30 dias',
  )
  expect(numberIn('server/domain/src/conversion.rs', /GIVE_UP_AFTER_DAYS: i64 = (\d+)/)).toBe(7)
  expect(source('server/src/tracking/conversion.rs')).toContain(
    'PERSON_KEPT_DAYS: i64 = GIVE_UP_AFTER_DAYS + 1',
  )
  expect(numberIn('server/src/retention.rs', /Self::Jobs\s[^=]*=> (\d+)/)).toBe(30)
})

test('o que os termos dizem de teste, renovação e falta de pagamento é o padrão das configurações', () => {
  const config = 'cli/src/config/variables.rs'
  expect(numberIn(config, /"GARIMPO_RENEWAL_HOURS",\s+default_value = "(\d+)"/)).toBe(figures.renewalHours)
  expect(numberIn(config, /"GARIMPO_GRACE_DAYS",\s+default_value = "(\d+)"/)).toBe(figures.graceDays)
  expect(numberIn(config, /"GARIMPO_BOLETO_GRACE_DAYS",\s+default_value = "(\d+)"/)).toBe(
    figures.boletoGraceDays,
  )
  // A purchase in the trial is charged at once, or at its end where the page of the payment says so: both are served.
  expect(source(config)).toContain('env = "GARIMPO_TRIAL_PURCHASE", default_value = "now"')
  expect(source(config)).toContain('#[value(name = "at_trial_end")]')
  expect(section(terms, 'teste')).toContain('a cobrança é feita na hora')
  expect(section(terms, 'teste')).toContain('a primeira cobrança fica para o fim do teste')
})

test('os termos dizem o que a especificação manda dizer', () => {
  expect(figures.updated).toBe('29 de abril de 2025')
  expect(section(terms, 'teste')).toContain('7 dias de teste grátis do plano Profissional')
  expect(section(terms, 'teste')).toContain('Não pedimos cartão')
  expect(section(terms, 'pagamento')).toContain('cartão de crédito ou boleto')
  expect(section(terms, 'renovacao')).toMatch(
    /pré-paga, em períodos de 30, 90, 180 ou 365 dias, e renova automaticamente/,
  )
  expect(section(terms, 'falta-de-pagamento')).toMatch(
    /suspende o acesso[\s\S]*quando um novo pagamento é confirmado/,
  )
  expect(section(terms, 'mudanca-de-plano')).toMatch(/diferença proporcional[\s\S]*vira crédito/)
  // CARD_REQUIRED, and NO_SUBSCRIPTION while a renewal waits.
  expect(section(terms, 'mudanca-de-plano')).toContain('Quem paga por boleto adiciona um cartão antes')
  expect(section(terms, 'mudanca-de-plano')).toMatch(/renovação estiver em aberto, ela é paga antes/)
  for (const { items } of [plansFaq, homeFaq]) {
    const change = items.find(({ question }) => question === 'Posso mudar de plano depois?')
    expect(change?.answer).toContain('quem paga por boleto adiciona um cartão antes')
  }
  expect(section(terms, 'cancelamento')).toMatch(/na área do usuário[\s\S]*até o fim do período já pago/)
  expect(section(terms, 'garantia')).toMatch(/primeira assinatura, você tem 7 dias corridos/)
  expect(section(terms, 'garantia')).toContain('5 a 10 dias úteis')
  expect(section(terms, 'garantia')).toContain(
    'por Pix em até 30 dias. A chave Pix precisa ser o email da assinatura',
  )
  expect(section(terms, 'alteracoes')).toContain('30 dias de antecedência')
  expect(section(privacy, 'alteracoes')).toContain('30 dias de antecedência')
})

test('cada seção tem a sua âncora e algum texto', () => {
  for (const text of [terms, privacy]) {
    const ids = text.sections.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { body } of text.sections) expect(body.flat().join('').length).toBeGreaterThan(80)
  }
})
