import { hold } from '../browser/calls'
import { createAccount, storeElitePlan } from '../browser/product'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

for (const [name, busyName, call] of [
  ['Enviar link novamente', 'Enviando...', '**/RequestEmailVerification'],
  ['Baixar meus dados', 'Preparando...', '**/ExportMyData'],
] as const) {
  test(`the button '${name}' keeps the focus during its call and after it, and calls once`, async ({
    page,
  }) => {
    await createAccount(page)
    await page.goto('/area-usuario')
    const button = page.getByRole('button', { name })
    await button.focus()
    const release = await hold(page, call)
    let calls = 0
    page.on('request', (request) => {
      if (request.url().endsWith(call.slice(3))) calls += 1
    })
    await page.keyboard.press('Enter')
    const busy = page.getByRole('button', { name: busyName })
    await expect(busy).toBeDisabled()
    await expect(busy).toBeFocused()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    await release()
    await expect(button).toBeEnabled()
    await expect(button).toBeFocused()
    expect(calls).toBe(1)
  })
}

test('a form sends one call while Enter is pressed again, and its field keeps the focus', async ({
  page,
}) => {
  await page.goto('/login')
  await page.getByLabel('Email').fill('ana@exemplo.com.br')
  await page.getByLabel('Senha', { exact: true }).fill('errada99')
  const release = await hold(page, '**/SignIn')
  let calls = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/SignIn')) calls += 1
  })
  for (const press of [1, 2, 3]) {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Entrando...' }), `press ${press}`).toBeDisabled()
  }
  await expect(page.getByLabel('Senha', { exact: true })).toBeFocused()
  await release()
  await expect(page.getByRole('main').getByText('Email ou senha inválidos').first()).toBeVisible()
  expect(calls).toBe(1)
})

test('without a window for the checkout the pressed button keeps the focus', async ({ page }) => {
  await page.addInitScript(() => {
    window.open = () => null
  })
  await createAccount(page)
  await storeElitePlan(page)
  await page.goto('/upsell')
  await page.route('**/checkout', (route) => route.fulfill({ status: 204 }))
  const month = page.getByRole('button', { name: 'Continuar com o plano mensal' })
  await month.press('Enter')
  await expect(month).toBeDisabled()
  await expect(month).toBeFocused()
})
