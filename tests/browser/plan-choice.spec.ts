import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { createSubscriber, expect, type Product, test } from './product'

test('the plan finder leads by keyboard to the plan that has room for the groups', async ({ page }) => {
  await page.goto('/planos')
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  const choices = page.getByRole('group', { name: 'Quantos grupos você tem em cada app?' })
  const answer = page.getByRole('status').filter({ hasText: 'serve' })
  for (const [name, expected] of [
    ['Até 3', 'O Top Afiliado serve: até 3 grupos no WhatsApp e 3 no Telegram.'],
    ['4 a 10', 'O Elite Nível 1 serve: até 10 grupos no WhatsApp e 10 no Telegram.'],
    ['11 a 20', 'O Elite Nível 2 serve: até 20 grupos no WhatsApp e 20 no Telegram.'],
    ['21 a 50', 'O Elite Nível 3 serve: até 50 grupos no WhatsApp e 50 no Telegram.'],
    ['Mais de 50', 'O Elite PRO 1 serve: grupos sem limite, no WhatsApp e no Telegram.'],
  ] as const) {
    if (name === 'Até 3') await choices.getByRole('radio', { name }).press('Space')
    else await page.keyboard.press('ArrowRight')
    await expect(choices.getByRole('radio', { name })).toBeChecked()
    await expect(answer).toContainText(expected)
  }
  await expect(answer).toContainText(
    '7 dias com os limites do Elite Nível 1, sem cartão. Depois, R$ 297,90/mês',
  )
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  const elite = page.getByRole('region', { name: 'Elite', exact: true })
  await expect(elite.getByRole('heading', { name: 'Elite Nível 2' })).toBeVisible()
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Ver o Elite Nível 2' }).press('Enter')
  await expect(elite.getByRole('tab', { name: 'Nível 2' })).toBeFocused()
  await expect(elite.getByRole('heading', { name: 'Elite Nível 2' })).toBeInViewport()

  await answer.getByRole('button', { name: 'Escolher o Elite Nível 2' }).press('Enter')
  await page.waitForURL('**/cadastro')
  await expect(page.getByText('Plano escolhido Elite Nível 2 por R$ 217,90/mês')).toBeVisible()
})

test('for a visitor without an account the scripts of the sign-up load ahead once a plan is in view', async ({
  page,
  product,
}) => {
  const ahead = page.locator('link[rel=prefetch]')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await expect(ahead).toHaveCount(0)
  await page.getByRole('region', { name: 'Elite', exact: true }).scrollIntoViewIfNeeded()
  await expect(ahead).not.toHaveCount(0)
  const files = await ahead.evaluateAll((links) => links.map((link) => (link as HTMLLinkElement).href))
  await page.goto('/cadastro')
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  expect(loaded).toEqual(expect.arrayContaining(files))

  await createSubscriber(page, product, 'Top Afiliado')
  await page.goto('/planos')
  await expect(page.getByRole('link', { name: 'Ver minha assinatura' })).toBeVisible()
  await expect(ahead).toHaveCount(0)
})

test('the plans page lists the levels that only a plan change offers, with their prices', async ({
  page,
}) => {
  await page.goto('/planos')
  await page.getByText('Já assina? Há mais três níveis do Elite').click()
  const more = page
    .getByText('Para quem já assina, há mais três níveis do Elite')
    .locator('xpath=following::ul[1]')
  await expect(more.getByRole('listitem')).toHaveText([
    'Elite Nível 4: R$ 237,90/mês, 1 número de WhatsApp',
    'Elite Nível 5: R$ 297,90/mês, 2 números de WhatsApp',
    'Elite Nível 6: R$ 407,90/mês, 3 números de WhatsApp',
  ])
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
})

test('the comparison explains each limit; on a phone it is closed and shows one plan at a time', async ({
  page,
}) => {
  await page.goto('/planos')
  const table = page.getByRole('table')
  const columns = table.getByRole('columnheader')
  const groups = table.getByRole('row').filter({ hasText: 'No WhatsApp, mais o mesmo número no Telegram.' })
  await expect(table).toBeHidden()

  await page.getByText('Ver a tabela completa').click()

  await expect(columns).toHaveText(['Recurso', 'Elite Nível 1'])
  await expect(groups.getByRole('cell')).toHaveText(['10 + 10'])
  await page.getByRole('radio', { name: 'Elite Nível 1' }).press('ArrowLeft')
  await expect(columns).toHaveText(['Recurso', 'Top Afiliado'])
  await expect(groups.getByRole('cell')).toHaveText(['3 + 3'])
  await expect(
    table
      .getByRole('row')
      .filter({ hasText: 'Automações que procuram o que o seu público compra.' })
      .getByRole('cell'),
  ).toHaveText(['Não'])
  for (const width of [320, 390]) await expectFits(page, width)
  await expectAccessible(page, 'details[open]')

  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await expect(columns).toHaveText([
    'Recurso',
    'Top Afiliado',
    'Elite Nível 1',
    'Elite Nível 2',
    'Elite Nível 3',
    'Elite PRO',
  ])
  await expect(groups.getByRole('cell')).toHaveText(['3 + 3', '10 + 10', '20 + 20', '50 + 50', 'Sem limite'])
  await expectFits(page, 768)
  await expectAccessible(page)
})

test('the comparison link of the solutions page leads to the open comparison', async ({ page }) => {
  await page.goto('/solucoes')
  await page.getByRole('link', { name: 'Compare os planos' }).click()
  await expect(page).toHaveURL('/planos#comparar')
  await expect(page.getByRole('table')).toBeInViewport()
})

/** Opens the plans as a subscriber of Elite Nível 2, and returns the card of that plan. */
async function openPlansAsSubscriber(page: Page, product: Product) {
  await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto('/planos')
  return page.getByRole('region', { name: 'Elite', exact: true })
}

test('a subscriber sees the present plan on its card, and the toast opens the change to another', async ({
  page,
  product,
}) => {
  const elite = await openPlansAsSubscriber(page, product)
  await expect(elite.getByRole('heading', { name: 'Elite Nível 2 Seu plano' })).toBeVisible()
  await expect(page.getByText('Seu plano', { exact: true })).toHaveCount(1)
  await elite.getByRole('tab', { name: 'Nível 3' }).click()
  await expect(page.getByText('Seu plano', { exact: true })).toHaveCount(0)
  await elite.getByRole('button', { name: 'Assinar Agora' }).click()
  const toast = page.getByRole('status').filter({ hasText: 'Você já tem uma assinatura ativa!' })
  await expect(toast.getByRole('button', { name: 'Gerenciar Plano' })).toBeVisible()
  await expectFits(page, 320)

  await toast.getByRole('button', { name: 'Mudar para o Elite Nível 3' }).click()

  await expect(page).toHaveURL('/area-usuario?plano=elite_nivel_3')
  const dialog = page.getByRole('dialog', { name: 'Mudar de plano' })
  await expect(dialog.getByRole('radio', { name: 'Elite Nível 3' })).toBeChecked()
  await expectAccessible(page, 'dialog[open]')

  // Back leads to the plans, and not to the account without its dialog.
  await page.goBack()
  await expect(elite.getByRole('heading', { name: 'Elite Nível 3' })).toBeVisible()
  await expect(page).toHaveURL('/planos')
  await page.goForward()
  await expect(dialog.getByRole('radio', { name: 'Elite Nível 3' })).toBeChecked()
  await dialog.getByRole('button', { name: 'Voltar' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL('/area-usuario')
  await page.getByRole('button', { name: 'Fazer Upgrade' }).click()
  await expect(dialog.getByRole('radio', { name: 'Elite Nível 2 Seu plano' })).toBeChecked()
})

test('a subscriber changes the plan from a card, and that of the present plan leads to the subscription', async ({
  page,
  product,
}) => {
  const elite = await openPlansAsSubscriber(page, product)
  const own = elite.getByRole('link', { name: 'Ver minha assinatura' })
  await expect(own).toHaveAttribute('href', '/area-usuario')
  await expect(elite).toContainText('É o preço do plano mensal. O que você paga está na sua assinatura.')
  await expect(elite.getByRole('button', { name: 'Assinar Agora' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Mudar para este plano' })).toHaveCount(2)
  await page.getByText('4 a 10', { exact: true }).click()
  await expect(page.getByRole('link', { name: 'Mudar para o Elite Nível 1' })).toHaveAttribute(
    'href',
    '/area-usuario?plano=elite_nivel_1',
  )
  await page.getByText('11 a 20', { exact: true }).click()
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)

  const pro = page.getByRole('region', { name: 'Elite PRO', exact: true })
  await pro.getByRole('link', { name: 'Mudar para este plano' }).click()
  await expect(page).toHaveURL('/area-usuario?plano=elite_pro_1')
  const dialog = page.getByRole('dialog', { name: 'Mudar de plano' })
  await expect(dialog.getByRole('radio', { name: 'Elite PRO 1' })).toBeChecked()
})

test('the home page also shows the present plan, whose card leads to the subscription', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto('/')
  const elite = page.getByRole('region', { name: 'Elite', exact: true })
  await expect(elite.getByRole('heading', { name: 'Elite Nível 2 Seu plano' })).toBeVisible()
  await expect(elite.getByRole('link', { name: 'Ver minha assinatura' })).toHaveAttribute(
    'href',
    '/area-usuario',
  )
  await expect(elite.getByRole('button', { name: 'Assinar Agora' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Mudar para este plano' })).toHaveCount(2)
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
})

test('the toast about an active subscription covers no action, on small phones, phones and desktops', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto('/planos')
  await expect(page.getByRole('link', { name: 'Ver minha assinatura' })).toHaveCount(1)
  const toasts = page.getByRole('region', { name: 'Avisos' })
  for (const [width, height] of [
    [390, 844],
    [360, 640],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const name of ['Top Afiliado', 'Elite PRO']) {
      const choose = page
        .getByRole('region', { name, exact: true })
        .getByRole('button', { name: 'Assinar Agora' })
      for (const block of ['center', 'end', 'start'] as const) {
        await choose.evaluate((button, block) => button.scrollIntoView({ block, behavior: 'instant' }), block)
        await choose.click()
        await expect(toasts.getByRole('status')).toContainText('Você já tem uma assinatura ativa!')
        expect(await readCoveredActions(toasts), `${name}, ${block} at ${width} px`).toEqual([])
        await toasts.getByRole('button', { name: 'Fechar aviso' }).click()
        await expect(toasts.getByRole('status')).toHaveCount(0)
      }
    }
  }
})

/** Texts of the page's actions that an element covers. */
const readCoveredActions = (element: Locator) =>
  element.evaluate((over) => {
    const at = over.getBoundingClientRect()
    return [...document.querySelectorAll('header a, header button, main :is(a, button, label, summary)')]
      .filter((action) => {
        const { left, right, top, bottom, width } = action.getBoundingClientRect()
        return width > 0 && left < at.right && right > at.left && top < at.bottom && bottom > at.top
      })
      .map((action) => action.textContent)
  })

test('with an active subscription the checkout of another plan leads to the change to it', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  // Without a plan it leads to the account, where the button is.
  await page.goto('/checkout')
  await expect(page.getByRole('link', { name: 'Mudar de plano' })).toHaveAttribute('href', '/area-usuario')
  await page.goto('/robots.txt')
  await page.evaluate(() => {
    const plan = {
      name: 'Elite PRO 2',
      price: 'R$ 447,90',
      period: '/mês',
      priceRaw: '447.90',
      interval: 'month',
      couponCode: null,
      couponId: null,
    }
    localStorage.setItem('selectedPlan', JSON.stringify(plan))
  })
  await page.goto('/checkout')
  await page.getByRole('link', { name: 'Mudar de plano' }).click()
  const wanted = page
    .getByRole('dialog', { name: 'Mudar de plano' })
    .getByRole('radio', { name: 'Elite PRO 2' })
  await expect(wanted).toBeChecked()
  // It is outside the visible part of the dialog until the dialog scrolls.
  await expect(wanted).toBeInViewport()
})
