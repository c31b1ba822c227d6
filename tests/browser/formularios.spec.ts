/** What every form and shared part of the pages owes to whoever types, reads or listens. */
import { fits, isAccessible } from './acessibilidade'
import { choosePlan, expect, joins, ownProduct, type Product, test } from './product'

test('corrigir o DDD do WhatsApp muda só o DDD', async ({ page }) => {
  await page.goto('/cadastro')
  const phone = page.getByLabel('WhatsApp')
  await phone.pressSequentially('11987654321')
  await expect(phone).toHaveValue('(11) 98765-4321')
  await phone.evaluate((input: HTMLInputElement) => input.setSelectionRange(3, 3))
  await phone.press('Backspace')
  await phone.press('2')
  await expect(phone).toHaveValue('(12) 98765-4321')
})

test('o cadastro diz o tamanho da senha antes de qualquer erro, e o erro toma o lugar da dica', async ({
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

test('o preço do plano escolhido fica em uma linha no cadastro', async ({ page }) => {
  await choosePlan(page, 'Elite', 'Nível 1')
  await page.waitForURL('**/cadastro')
  const price = page.getByText('por R$ 197,90/mês', { exact: true })
  for (const width of [320, 360, 390]) {
    await fits(page, width)
    const lines = await price.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })
    expect(lines, `${width} px`).toBe(1)
  }
})

const onBlackNovember = test.extend<{ product: Product }>(ownProduct({ GARIMPO_BLACK_NOVEMBER: 'on' }))

onBlackNovember(
  'na Black November o cadastro diz até quando vale o preço do plano escolhido, e o das mensalidades seguintes',
  async ({ page }) => {
    await choosePlan(page, 'Elite', 'Nível 1')
    await page.waitForURL('**/cadastro')
    const chosen = page.getByText('Plano escolhido Elite Nível 1')
    await expect(chosen).toHaveText(
      /por R\$\s97,90 no 1º mês Assinando até 30 de novembro. A partir do 2º mês, R\$\s197,90\/mês\.$/,
    )
    for (const width of [320, 768, 1280, 390]) await fits(page, width)
    await isAccessible(page)
  },
)

test('o cadastro diz o preço de um período maior pelo período dele', async ({ page }) => {
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

test('senha curta demais está marcada como errada enquanto é digitada', async ({ page }) => {
  await page.goto('/cadastro')
  const password = page.getByLabel('Senha', { exact: true })
  await password.pressSequentially('abc')
  await expect(page.getByText('A senha deve ter pelo menos')).toBeVisible()
  await expect(password).toHaveAttribute('aria-invalid', 'true')
})

test('o teclado do celular põe maiúsculas no nome e diz o que Enter faz', async ({ page }) => {
  await page.goto('/cadastro')
  const name = page.getByLabel('Nome completo')
  await expect(name).toHaveAttribute('autocapitalize', 'words')
  await expect(name).toHaveAttribute('enterkeyhint', 'next')
  await expect(page.getByLabel('Email')).toHaveAttribute('autocapitalize', 'none')
  await expect(page.getByLabel('Senha', { exact: true })).toHaveAttribute('enterkeyhint', 'go')
  await page.goto('/esqueci-senha')
  await expect(page.getByLabel('Email')).toHaveAttribute('enterkeyhint', 'send')
})

test('listas continuam listas para quem as ouve no Safari', async ({ page }) => {
  await page.goto('/planos')
  const styles = await page
    .getByRole('main')
    .locator('ul, ol')
    .evaluateAll((lists) => lists.map((list) => getComputedStyle(list).listStyleType))
  expect(styles.length).toBeGreaterThan(2)
  expect(styles).not.toContain('none')
})

test('página atrás de um diálogo aberto não rola', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 })
  await joins(page)
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

test('carrossel fora da janela fica parado', async ({ page }) => {
  await page.clock.install()
  await page.goto('/')
  const tabs = page
    .getByRole('tablist')
    .filter({ hasText: 'Divulgador' })
    .or(page.getByRole('tablist').first())
    .first()
  const selected = () => tabs.locator('[aria-selected="true"]').textContent()
  await tabs.scrollIntoViewIfNeeded()
  const first = await selected()
  const turned = async () => {
    await page.clock.runFor(1_000)
    return selected()
  }
  await expect.poll(turned).not.toBe(first)

  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
  await expect(tabs).not.toBeInViewport()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const left = await selected()
  await page.clock.runFor(40_000)
  expect(await selected()).toBe(left)
})

test('título de cada página é dito por uma região que fica', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto('/sobre')
  const region = await page.locator('#root > [aria-live="polite"]').elementHandle()
  await page.getByRole('banner').getByRole('link', { name: 'Planos' }).click()
  await expect(page.locator('#root > [aria-live="polite"]')).toHaveText(/Planos/)
  expect(await region?.evaluate((element) => element.isConnected)).toBe(true)
})

test('aviso entra em uma região que já era conhecida de quem ouve a página', async ({ page }) => {
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

test('o erro de um formulário não segue para a página seguinte', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  const toasts = page.getByRole('region', { name: 'Avisos' })
  await expect(toasts.getByRole('alert')).toHaveCount(1)
  await page.getByRole('link', { name: 'Esqueci minha senha' }).click()
  await expect(page.getByRole('heading', { name: 'Recuperação de Senha' })).toBeVisible()
  // It would go by itself after 6 s.
  await expect(toasts.getByRole('alert')).toHaveCount(0, { timeout: 2_000 })
})
