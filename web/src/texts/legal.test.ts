import { expect, test } from 'vitest'
import { LIVES_MS as ORIGIN_LIVES_MS } from '../attribution/attribution'
import { LIVES_MS as CONSENT_LIVES_MS } from '../attribution/consent'
import { all_plans, guarantee_days, intervals, rules, trial } from '../gen/catalog.json'
import { consent } from './consent'
import { homeFaq } from './home-faq'
import { figures } from './legal'
import { plansFaq } from './plans-faq'
import { privacy } from './privacy'
import { terms } from './terms'

const DAY_MS = 86_400_000
const section = (text: typeof terms, id: string) => {
  const found = text.sections.find((each) => each.id === id)
  if (!found) throw new Error(`no section ${id}`)
  return found.body.flat().join('\n')
}

test('the figures of the legal texts are those of the rules and the catalogue', () => {
  expect(figures.trialDays).toBe(trial.days)
  expect(figures.trialPlan).toBe(trial.plan_name)
  expect(figures.guaranteeDays).toBe(guarantee_days)
  expect(figures.periodDays).toEqual(intervals.map(({ days }) => days))
  expect(figures.offerMonths).toEqual(intervals.slice(1).map(({ months }) => months))
  expect(figures.pixRefundDays).toBe(rules.pix_refund_days)
  expect(figures.originDays).toBe(rules.origin_days)
  expect(figures.countDays).toBe(rules.visit_count_days)
  expect(figures.arrivalDays).toBe(rules.arrival_days)
  expect(ORIGIN_LIVES_MS).toBe(rules.origin_days * DAY_MS)
})

test('the privacy policy states the rules of the server for the ads consent and its time limits', () => {
  expect(consent.version).toBe(rules.consent_version)
  expect(rules.consent_days).toBe(365)
  expect(CONSENT_LIVES_MS).toBe(rules.consent_days * DAY_MS)
  expect(section(privacy, 'preferencias')).toContain('vale por 1 ano ou até o texto da pergunta mudar')
  expect(rules.conversion_days).toBe(7)
  expect(section(privacy, 'prazo')).toContain(
    '8 dias depois se ele não puder sair; o registro do aviso fica 30 dias',
  )
})

test('the terms state the deadlines of renewal and non-payment, and both charges of the trial', () => {
  expect(section(terms, 'falta-de-pagamento')).toContain('suspende o acesso assim que é informada pelo banco')
  expect(section(terms, 'falta-de-pagamento')).toContain('o acesso continua por até 24 horas')
  expect(section(terms, 'falta-de-pagamento')).toContain('até o vencimento e por mais 3 dias')
  // A purchase in the trial is charged at once or at its end, depending on a setting, so the terms
  // state both.
  expect(section(terms, 'teste')).toContain('a cobrança é feita na hora')
  expect(section(terms, 'teste')).toContain('a primeira cobrança fica para o fim do teste')
})

test('the trial plan has the limits and features of the plan that the texts name', () => {
  const named = (name: string) => all_plans.find((plan) => plan.name === name)
  const [ofTrial, ofSale] = [named(figures.trialPlan), named(figures.trialLimitsOf)]
  expect(ofTrial?.id).toBe(trial.plan_id)
  expect(ofSale?.for_sale).toBe(true)
  expect([ofTrial?.limits, ofTrial?.features]).toEqual([ofSale?.limits, ofSale?.features])
})

test('the terms contain every required statement', () => {
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
    expect(items['Posso mudar de plano depois?']).toContain('quem paga por boleto adiciona um cartão antes')
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

test('each section has a unique anchor and some text', () => {
  for (const text of [terms, privacy]) {
    const ids = text.sections.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { body } of text.sections) expect(body.flat().join('').length).toBeGreaterThan(80)
  }
})
