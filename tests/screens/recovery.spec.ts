import type { Page } from '@playwright/test'
import { newPerson } from '../browser/product'
import { expect, test } from './screen-test'

const SEND_LABEL = 'Enviar Email de Recuperação'
const emailField = (page: Page) => page.getByLabel('Email', { exact: true })
test('the green notice offers another try with the typed email and a link to the sign-in', async ({
  page,
}) => {
  const nobody = newPerson()
  await page.goto('/esqueci-senha')
  await emailField(page).fill(` ${nobody.email} `)
  await page.getByRole('button', { name: SEND_LABEL }).click()

  await expect(page.getByText(nobody.email)).toBeVisible()
  await expect(page.getByRole('button', { name: SEND_LABEL })).toHaveCount(0)
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(page.getByRole('button', { name: SEND_LABEL })).toBeVisible()
  await expect(emailField(page)).toHaveValue(new RegExp(nobody.email))
  await page.getByRole('link', { name: 'Voltar para login' }).click()
  await page.waitForURL('**/login')
})

test('an invalid email is shown beside the field and in a toast, without a call', async ({ page }) => {
  const calls: string[] = []
  page.on('request', (request) => calls.push(new URL(request.url()).pathname))
  await page.goto('/esqueci-senha')

  for (const typed of ['', 'ana', 'ana@exemplo']) {
    await emailField(page).fill(typed)
    await page.getByRole('button', { name: SEND_LABEL }).click()
    await expect(emailField(page)).toHaveAccessibleDescription('Email inválido')
    await expect(page.getByRole('alert')).toContainText('Erro ao enviar email')
    await expect(page.getByRole('alert')).toContainText('Email inválido')
    await expect(emailField(page)).toBeFocused()
  }
  expect(calls).not.toContain('/api/password-reset')
})

test('while sending the button states that, and a failure shows the text of the server or our own', async ({
  page,
  pageErrors,
}) => {
  await page.goto('/esqueci-senha')
  const answers = [
    {
      status: 429,
      body: JSON.stringify({ ok: false, error: 'Texto do servidor', code: 'TOO_MANY_REQUESTS' }),
    },
    { status: 500, body: JSON.stringify({ ok: false }) },
    { status: 502, body: '<html>' },
    null,
  ]
  for (const answer of answers) {
    let respond = () => {}
    const held = new Promise<void>((done) => {
      respond = done
    })
    await page.route('**/api/password-reset', async (route) => {
      await held
      if (answer) await route.fulfill({ ...answer, contentType: 'application/json' })
      else await route.abort()
    })
    await emailField(page).fill('ana@exemplo.com.br')
    await page.getByRole('button', { name: SEND_LABEL }).click()

    const busy = page.getByRole('button', { name: 'Enviando...' })
    await expect(busy).toBeDisabled()
    respond()
    await expect(page.getByRole('button', { name: SEND_LABEL })).toBeEnabled()
    const alert = page.getByRole('alert').filter({ hasText: 'Erro ao enviar email' })
    await expect(alert).toContainText(
      answer?.status === 429 ? 'Texto do servidor' : 'Ocorreu um erro ao processar sua solicitação',
    )
    await page.unrouteAll()
  }
  pageErrors.expect(
    /status of 429 .*password-reset/,
    /status of 500 .*password-reset/,
    /status of 502 .*password-reset/,
    /ERR_FAILED .*password-reset/,
  )
})
