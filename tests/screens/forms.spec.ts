/** Forms and shared parts of the pages: typing, reading and screen readers. */
import { expectFits } from '../browser/accessibility'
import { choosePlan, createAccount } from '../browser/product'
import { expect, test } from './screen-test'

test('correcting the area code of a WhatsApp number changes only the area code', async ({ page }) => {
  await page.goto('/cadastro')
  const phone = page.getByLabel('WhatsApp')
  await phone.pressSequentially('11987654321')
  await expect(phone).toHaveValue('(11) 98765-4321')
  await phone.evaluate((input: HTMLInputElement) => input.setSelectionRange(3, 3))
  await phone.press('Backspace')
  await phone.press('2')
  await expect(phone).toHaveValue('(12) 98765-4321')
})

test('the sign-up states the password length before any error, which then replaces the hint', async ({
  page,
}) => {
  await page.goto('/cadastro')
  const password = page.getByLabel('Senha', { exact: true })
  await expect(password).toHaveAccessibleDescription('Pelo menos 6 caracteres')
  await password.pressSequentially('abc')
  await expect(password).toHaveAccessibleDescription('A senha deve ter pelo menos 6 caracteres.')
  await password.pressSequentially('def')
  await expect(password).toHaveAccessibleDescription('Pelo menos 6 caracteres')
})

test('the price of the chosen plan stays on one line of the sign-up', async ({ page }) => {
  await choosePlan(page, 'Elite', 'Nível 1')
  await page.waitForURL('**/cadastro')
  const price = page.getByText('por R$ 197,90/mês', { exact: true })
  for (const width of [320, 360, 390]) {
    await expectFits(page, width)
    const lines = await price.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })
    expect(lines, `${width} px`).toBe(1)
  }
})

test('the sign-up states the price of a longer period with that period', async ({ page }) => {
  await page.goto('/cadastro')
  await page.evaluate(() =>
    localStorage.setItem(
      'selectedPlan',
      JSON.stringify({
        name: 'Top Afiliado',
        price: 'R$ 587,40',
        period: '/ano',
        priceRaw: '587.40',
        interval: 'anual',
      }),
    ),
  )
  await page.reload()
  await expect(page.getByText('por R$ 587,40/ano', { exact: true })).toBeVisible()
})

test('a password that is too short is marked as invalid while it is typed', async ({ page }) => {
  await page.goto('/cadastro')
  const password = page.getByLabel('Senha', { exact: true })
  await password.pressSequentially('abc')
  await expect(page.getByText('A senha deve ter pelo menos')).toBeVisible()
  await expect(password).toHaveAttribute('aria-invalid', 'true')
})

test('the phone keyboard capitalizes the name, and its Enter key states what it does', async ({ page }) => {
  await page.goto('/cadastro')
  const name = page.getByLabel('Nome completo')
  await expect(name).toHaveAttribute('autocapitalize', 'words')
  await expect(name).toHaveAttribute('enterkeyhint', 'next')
  await expect(page.getByLabel('Email')).toHaveAttribute('autocapitalize', 'none')
  await expect(page.getByLabel('Senha', { exact: true })).toHaveAttribute('enterkeyhint', 'go')
  await page.goto('/esqueci-senha')
  await expect(page.getByLabel('Email')).toHaveAttribute('enterkeyhint', 'send')
})

test('the page behind an open dialog does not scroll', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  await createAccount(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Editar perfil' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  const before = await page.evaluate(() => scrollY)
  await page.mouse.move(20, 250)
  await page.mouse.wheel(0, 600)
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  expect(await page.evaluate(() => scrollY)).toBe(before)
  expect(await page.evaluate(() => document.documentElement.scrollHeight > innerHeight)).toBe(true)
})

test('the title of each page of the app is announced by a live region that stays', async ({ page }) => {
  await page.goto('/login')
  const region = await page.locator('#root > p[aria-live="polite"]').elementHandle()
  await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await expect(page.locator('#root > p[aria-live="polite"]')).toHaveText(/Recupera/)
  expect(await region?.evaluate((element) => element.isConnected)).toBe(true)
})

test('a toast is added to a live region that already existed', async ({ page }) => {
  await page.addInitScript(() => {
    let frame = 0
    const count = () => {
      frame += 1
      requestAnimationFrame(count)
    }
    count()
    const since = new WeakMap<Element, number>()
    const isToast = (node: Element) =>
      node.matches('[role=status], [role=alert]') && node.closest('[popover]') !== null
    new MutationObserver((records) => {
      for (const node of records.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (!(node instanceof Element)) continue
        for (const part of [node, ...node.querySelectorAll('*')]) {
          if (part.matches('[aria-live]')) since.set(part, frame)
          const region = part.parentElement?.closest('[aria-live]')
          if (isToast(part))
            document.body.dataset.toast = region && (since.get(region) ?? frame) < frame ? 'known' : 'new'
        }
      }
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto('/esqueci-senha')
  await page.getByRole('button', { name: 'Enviar Email de Recuperação' }).click()
  await expect(page.getByRole('alert')).toContainText('Erro ao enviar email')
  await expect(page.locator('body')).toHaveAttribute('data-toast', 'known')
  expect(
    await page.getByRole('region', { name: 'Avisos' }).evaluate((region) => region.matches(':popover-open')),
  ).toBe(true)
})

test('the error of a form does not follow to the next page', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  const toasts = page.getByRole('region', { name: 'Avisos' })
  await expect(toasts.getByRole('alert')).toHaveCount(1)
  await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await expect(page.getByRole('heading', { name: 'Recuperação de Senha' })).toBeVisible()
  // The toast would close by itself after 6 s.
  await expect(toasts.getByRole('alert')).toHaveCount(0, { timeout: 2_000 })
})
