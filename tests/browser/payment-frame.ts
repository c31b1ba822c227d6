/** Actions in the payment provider's frame of a checkout tab. */
import { expect, type Page } from '@playwright/test'

/** The frame of the payment provider in a checkout tab. */
export function paymentFrame(tab: Page) {
  return tab.frameLocator('iframe')
}

/** Waits for the payment form and returns the id of the checkout session. */
export async function waitForCheckoutSession(tab: Page): Promise<string> {
  await expect(paymentFrame(tab).getByLabel('Número do cartão')).toBeVisible()
  return tab.evaluate(() => (localStorage.getItem('checkoutClientSecret') ?? '').split('_secret_')[0] ?? '')
}

/** Issues a boleto in the provider's frame. */
export async function issueBoleto(tab: Page) {
  const frame = paymentFrame(tab)
  await frame.getByRole('tab', { name: 'Boleto' }).click()
  await frame.getByLabel(/CPF/).fill('529.982.247-25')
  await frame.getByLabel('Nome completo').fill('Ana Maria Souza')
  await frame.getByLabel('CEP').fill('01310-100')
  await frame.getByLabel('Endereço').fill('Avenida Paulista, 1000')
  await frame.getByLabel('Cidade').fill('São Paulo')
  await frame.getByLabel('Estado').selectOption('SP')
  await frame.getByRole('button', { name: 'Gerar boleto' }).click()
}

/** Pays by card in the provider's frame. */
export async function payByCard(tab: Page, number: string) {
  const frame = paymentFrame(tab)
  await frame.getByLabel('Número do cartão').fill(number)
  await frame.getByLabel('Validade').fill('12/34')
  await frame.getByLabel('CVC').fill('123')
  await frame.getByLabel('Nome no cartão').fill('ANA M SOUZA')
  await frame.getByRole('button', { name: 'Assinar' }).click()
}
