import type { Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { failCall, respond } from '../browser/calls'
import { createAccount, newPerson } from '../browser/product'
import { createSubscriber } from './account'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

/** Records all console messages of the page. */
const recordConsole = (page: Page) => {
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  return lines
}

test('the receipt link opens the WhatsApp of the support', async ({ page }) => {
  await createAccount(page)
  await page.goto('/payment-awaited')
  const receipt = page.getByRole('link', { name: 'Enviar Comprovante' })
  await expect(receipt).toHaveAttribute('href', /^https:\/\/wa\.me\/\?text=[^&]*comprovante/)
})

test('a portal response without an address is a failure, and the text of the server is not shown', async ({
  page,
  backend,
  pageErrors,
}) => {
  const lines = recordConsole(page)
  await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  const failed = page
    .getByRole('alert')
    .filter({ hasText: 'Não foi possível acessar o portal de gerenciamento de assinatura' })
  const manage = page.getByRole('button', { name: 'Gerenciar Plano' })
  await respond(page, BillingService.method.createPortalSession, {})
  await manage.click()
  await expect(failed).toContainText('Erro')
  expect(lines.filter((line) => line.includes('the portal session has no url'))).toHaveLength(1)
  await page.unrouteAll()

  await page.reload()
  await failCall(page, 'CreatePortalSession', 'INTERNAL')
  await manage.click()
  await expect(failed).toContainText('Erro')
  await expect(page.getByText('refused')).toHaveCount(0)
  pageErrors.expect(/the portal did not open/)
  await expect.poll(() => pageErrors.matching(/the portal did not open/)).toHaveLength(2)
})

test('without the user record the profile shows the name and the email of the session', async ({ page }) => {
  const ana = await createAccount(page)
  const lines = recordConsole(page)
  await failCall(page, 'GetUser', 'INTERNAL')
  await page.goto('/area-usuario')
  const profile = page.getByRole('region', { name: 'Perfil' })
  await expect(profile.getByRole('heading', { name: ana.name })).toBeVisible()
  await expect(profile.getByText(ana.email)).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'Erro ao carregar dados do usuário' })).toBeVisible()
  expect(lines.some((line) => line.includes('reading the user record failed'))).toBe(true)
})

test('the notice that the email was sent is green', async ({ page }) => {
  await page.goto('/esqueci-senha')
  await page.getByLabel('Email', { exact: true }).fill(newPerson().email)
  await page.getByRole('button', { name: 'Enviar Email de Recuperação' }).click()
  const words = page.getByText('um email com as instruções')
  await expect(words).toBeVisible()
  const ground = await words.evaluate((element) => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at)
      if (backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor
    }
    return ''
  })
  const [red = 0, green = 0, blue = 0] = (ground.match(/\d+/g) ?? []).map(Number)
  expect(green, ground).toBeGreaterThan(red)
  expect(green, ground).toBeGreaterThan(blue)
})
