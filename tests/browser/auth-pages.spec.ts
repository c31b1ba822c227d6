import { expectFits } from './accessibility'
import { hold } from './calls'
import { arriveAtUpsell, expect, test } from './product'

test('the sign-up form keeps its values while the terms are read, except the password', async ({ page }) => {
  const typed = {
    'Nome completo': 'Ana Souza',
    Email: 'ana@exemplo.com.br',
    'WhatsApp (opcional)': '(11) 98765-4321',
  }
  await page.goto('/cadastro')
  for (const [label, value] of Object.entries(typed))
    await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByLabel('Senha', { exact: true }).fill('segredo-da-ana')

  await page.getByRole('main').getByRole('link', { name: 'Termos de Uso' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Termos de Uso' })).toBeVisible()
  await page.goBack()

  for (const [label, value] of Object.entries(typed))
    await expect(page.getByLabel(label, { exact: true }), label).toHaveValue(value)
  await expect(page.getByLabel('Senha', { exact: true })).toHaveValue('')
})

test('pages on which somebody pays have the logo, help and account, and the whole footer', async ({
  page,
}) => {
  const entries = page.getByRole('banner').getByRole('link')
  const footer = page.getByRole('contentinfo')
  await page.goto('/checkout')
  await expect(entries).toHaveText(['Ir para o conteúdo', 'Garimpo', 'Central de Ajuda'])
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  for (const path of ['/checkout', '/confirmar-pagamento']) {
    await page.goto(path)
    await expect(entries, path).toHaveText([
      'Ir para o conteúdo',
      'Garimpo',
      'Central de Ajuda',
      'Minha Conta',
    ])
    await expect(page.getByRole('button', { name: 'Abrir menu' })).toHaveCount(0)
    for (const name of ['Planos', 'Termos de Uso', 'Políticas de Privacidade'])
      await expect(footer.getByRole('link', { name, exact: true }), path).toBeVisible()
    await expect(footer.getByText('CNPJ'), path).toBeVisible()
    for (const width of [320, 390, 768, 1280]) await expectFits(page, width)
  }
  // The content security policy of a payment page must not apply to the next page.
  await page.getByRole('banner').getByRole('link', { name: 'Minha Conta' }).click()
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
})

test('a visitor sent to the sign-in sees a spinner until it opens, and nothing shifts', async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: number[] = []
    Object.assign(window, { shifts })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  // Delay the sign-in page.
  const release = await hold(page, '**/assets/login*.js')
  const held = page.waitForRequest('**/assets/login*.js')
  await page.goto('/area-usuario', { waitUntil: 'commit' })
  await held
  await expect(page.getByRole('main').getByText('Carregando').filter({ visible: true })).toBeVisible()
  await release()
  await expect(page.getByLabel('Senha', { exact: true })).toBeVisible()
  expect(
    await page.evaluate(() =>
      (window as unknown as { shifts: number[] }).shifts.reduce((sum, one) => sum + one, 0),
    ),
  ).toBeLessThan(0.02)
})
