/** What a phone's first screen shows, and what stands over it. */
import type { Page } from '@playwright/test'
import { boxOf } from './acessibilidade'
import { paymentFrame } from './payment-frame'
import { banner } from './plataformas'
import { arriveAtUpsell, choosePlan, expect, joins, subscribes, test } from './product'

test.use({ viewport: { width: 390, height: 844 } })

/** The buttons, links and fields of the page whose centre something else covers, of those in view. */
const covered = (page: Page) =>
  page.locator('main').evaluate((main) =>
    [...main.querySelectorAll('a, button, input')].flatMap((control) => {
      const { x, y, width, height } = control.getBoundingClientRect()
      const at = document.elementFromPoint(x + width / 2, y + height / 2)
      // A control without a box is not drawn.
      return !width || !at || at === control || control.contains(at) || at.contains(control)
        ? []
        : [control.textContent || control.getAttribute('name')]
    }),
  )

test('o aviso de um erro não cobre o botão do cadastro, e os avisos vêm um por vez', async ({ page }) => {
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  const submit = page.getByRole('button', { name: 'Criar conta' })
  await submit.click()
  const toasts = page.getByRole('region', { name: 'Avisos' })
  await expect(toasts.getByRole('alert')).toHaveCount(1)
  await expect(submit).toBeInViewport()
  expect(await covered(page)).toEqual([])

  await page.getByLabel('Nome completo').fill('Ana')
  await page.getByLabel('Email').fill('ana')
  await page.getByLabel('Senha', { exact: true }).fill('segredo1')
  await submit.click()
  await expect(toasts.getByRole('alert')).toHaveText([/Digite um email válido\./])
  expect(await covered(page)).toEqual([])
})

test('o aviso de um erro não cobre o campo errado, numa tela pequena', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 })
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  await page.getByLabel('Nome completo').fill('Ana')
  const email = page.getByLabel('Email')
  await email.fill('ana')
  await page.getByLabel('WhatsApp').fill('1')
  await page.getByLabel('Senha', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expect(email).toBeFocused()
  const toast = page.getByRole('region', { name: 'Avisos' }).getByRole('alert')
  // The page glides there.
  const gap = async () => (await boxOf(email)).y - (await boxOf(toast)).bottom
  await expect.poll(gap).toBeGreaterThan(0)
})

test('o que a área já diz no lugar não é dito também em um aviso', async ({ page, product }) => {
  await subscribes(page, product, 'Elite Nível 2')
  await page.goto('/area-usuario')
  const card = page.getByRole('region', { name: 'Assinatura', exact: true })
  await card.getByRole('button', { name: 'Cancelar assinatura' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar assinatura' }).click()
  await expect(page.getByText('Cancelamento feito')).toBeVisible()
  await card.getByRole('button', { name: 'Desfazer cancelamento' }).click()
  await expect(page.getByText('Sua assinatura continua')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Avisos' }).getByRole('status')).toHaveCount(0)
})

test('nada cobre os botões da primeira tela, para quem entrou e para quem não', async ({ page }) => {
  const isFree = async () => {
    for (const path of ['/', '/planos', '/solucoes', '/promo-landing'])
      for (const width of [360, 600, 768, 1024, 1280]) {
        await page.setViewportSize({ width, height: 844 })
        await page.goto(path)
        await expect.poll(() => covered(page), `${path} at ${width}`).toEqual([])
      }
  }
  await isFree()
  await joins(page)
  await isFree()
})

test('o checkout mostra o primeiro campo do cartão na primeira tela, com o plano e a garantia logo acima', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await page.goto('/checkout')
  const label = paymentFrame(page).getByText('Número do cartão', { exact: true })
  await expect(label).toBeVisible()
  const summary = page.getByRole('complementary', { name: 'Resumo' })
  for (const said of ['Elite Nível 2', 'Garantia de 7 dias', 'Você está no teste grátis até'])
    await expect(summary).toContainText(said)
  await expect(page.getByRole('link', { name: 'Continuar no teste grátis' })).toHaveCount(0)
  const [first, above, frame] = await Promise.all([
    label.boundingBox(),
    summary.boundingBox(),
    page.locator('iframe').boundingBox(),
  ])
  expect((first?.y ?? Number.NaN) + (first?.height ?? 0)).toBeLessThan(700)
  expect((above?.y ?? Number.NaN) + (above?.height ?? 0)).toBeLessThanOrEqual(frame?.y ?? 0)
})

test.describe('com a pergunta sobre anúncios em pé', () => {
  test.use({ answered: false, viewport: { width: 360, height: 600 } })

  test('ela ocupa uma linha, e a resposta de Quantos grupos você tem? fica à vista acima dela', async ({
    page,
  }) => {
    await page.goto('/planos')
    const question = await boxOf(banner(page))
    expect(question.height).toBeLessThanOrEqual(80)
    await page.getByText('4 a 10', { exact: true }).click()
    const look = page.getByRole('button', { name: 'Ver o Elite Nível 1' })
    await expect.poll(async () => (await boxOf(look)).bottom).toBeLessThanOrEqual(question.y)
  })
})
