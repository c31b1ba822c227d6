/**
 * One walk through each screen while the browser translates it (translation.ts). `make soak`
 * presses what `make test` leaves out. A page that is lost logs an error, which fails its walk.
 */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { dialog } from './account-page'
import { arriveAtUpsell, expect, takeOffer, test } from './product'
import { translate } from './translation'

const isLong = process.env.GARIMPO_SOAK !== undefined
const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
type Plan = {
  id: string
  name: string
  group: string
  tab: string | null
  monthly: { price_centavos: number }
}
const { plans }: { plans: Plan[] } = JSON.parse(readFileSync(join(root, 'web/src/gen/catalog.json'), 'utf8'))
/** Plans with a tab; in `make test` one of each card, neither of them the first. */
const levels = plans.filter(({ tab }) => tab && (isLong || ['Nível 2', 'PRO 6'].includes(tab)))

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** 104790 as '1047.90' and as '1.047,90'. */
const rawOf = ({ monthly }: Plan) => (monthly.price_centavos / 100).toFixed(2)
const shownOf = (plan: Plan) => Number(rawOf(plan)).toLocaleString('pt-BR', { minimumFractionDigits: 2 })

async function open(page: Page, path: string) {
  await page.goto(path)
  await expect(page.locator('h1').first()).toBeVisible()
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  await translate(page)
}

for (const path of ['/planos', '/']) {
  test(`translated: on ${path} a card's name, price and button belong to the level of the tab`, async ({
    page,
  }) => {
    await open(page, path)
    for (const plan of levels) {
      const shown = card(page, plan.group)
      await shown.getByRole('tab', { name: plan.tab ?? '' }).click()
      await expect(shown.getByRole('heading', { name: plan.name, exact: true })).toBeVisible()
      await expect(shown).toContainText(`R$ ${shownOf(plan)}`)
      // The note about the trial names the plan whose limits it has.
      const text = (await shown.innerText()).replace('com os limites do Elite Nível 1', '')
      expect(text.match(/Elite( PRO| Nível)? \d/g)).toEqual([plan.name])
    }
    const last = levels.at(-1) as Plan
    await card(page, last.group)
      .getByRole('button', { name: /Assinar Agora|Testar grátis/ })
      .click()
    await page.waitForURL('**/cadastro')
    expect(await page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? ''))).toMatchObject({
      name: last.name,
      priceRaw: rawOf(last),
    })
  })
}

test('translated: the plan finder names one plan after the other', async ({ page }) => {
  await open(page, '/planos')
  const choices = page.getByRole('group', { name: 'Quantos grupos você tem em cada app?' })
  const answer = page.getByRole('status').filter({ hasText: 'serve' })
  for (const [name, plan] of [
    ['4 a 10', 'Elite Nível 1'],
    ['Mais de 50', 'Elite PRO 1'],
  ] as const) {
    await choices.getByRole('radio', { name }).check({ force: true })
    await expect(answer).toContainText(`O ${plan} serve`)
    await expect(answer.getByRole('button', { name: `Escolher o ${plan}` })).toBeVisible()
  }
})

test('translated: the home page answers questions and stops its carousel', async ({ page }) => {
  await open(page, '/')
  const pause = page.getByRole('button', { name: 'Pausar' }).first()
  await pause.click()
  await expect(page.getByRole('button', { name: 'Continuar', exact: true }).first()).toBeVisible()
  await page.locator('#solucoes').getByRole('tab').last().click()
  const question = page.locator('summary').last()
  await question.click()
  await expect(page.locator('details[open]').last()).toBeVisible()
  await page.getByRole('button', { name: 'Abrir menu' }).click()
  await page.getByRole('banner').getByRole('link', { name: 'Planos' }).click()
  await expect(page.getByRole('heading', { level: 1, name: /plano/i })).toBeVisible()
})

test('translated: the promotional page changes its levels and copies its coupon', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, '/planos-promo?promo=final50')
  await card(page, 'Elite').getByRole('tab', { name: 'Nível 3' }).click()
  await expect(card(page, 'Elite').getByRole('heading', { name: 'Elite Nível 3', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Copiar cupom' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Cupom copiado!' })).toBeVisible()
})

test('translated: an offer is looked at, taken and canceled', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await translate(page)
  const take = card(page, 'Anual').getByRole('button', { name: 'Aproveitar Oferta' })
  await take.click()
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()
  const tab = await takeOffer(page, 'Semestral')
  const overlay = page.getByRole('dialog', { name: 'Abrindo checkout...' })
  await expect(overlay).toBeVisible()
  await expect(tab.getByRole('heading', { level: 1 })).toBeVisible()
  await translate(tab)
  await overlay.getByRole('button', { name: 'Cancelar' }).click()
  await expect(overlay).toBeHidden()
  await expect(take).toBeVisible()
})
