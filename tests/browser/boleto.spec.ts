import { arriveAtUpsell, choosePlan, expect, paymentFrame, takeOffer, test } from './product'

test('boleto emitido aguarda pagamento e, pago, ativa a assinatura', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  const frame = paymentFrame(tab)
  await frame.getByRole('tab', { name: 'Boleto' }).click()
  await frame.getByLabel(/CPF/).fill('529.982.247-25')
  await frame.getByLabel('Nome completo').fill('Ana Maria Souza')
  await frame.getByLabel('CEP').fill('01310-100')
  await frame.getByLabel('Endereço').fill('Avenida Paulista, 1000')
  await frame.getByLabel('Cidade').fill('São Paulo')
  await frame.getByLabel('Estado').selectOption('SP')
  await frame.getByRole('button', { name: 'Gerar boleto' }).click()

  // The voucher takes the whole tab, on the provider's origin.
  await expect(tab.getByRole('button', { name: 'Simular pagamento' })).toBeVisible()
  await page.waitForURL('**/payment-awaited**')
  await expect(page.getByText(/\d{5}\.\d{5} \d{5}\.\d{6} \d{5}\.\d{6} \d \d{14}/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ver boleto' })).toBeVisible()
  await expect(page.getByText('Enviar Comprovante')).toBeVisible()

  const area = await page.context().newPage()
  await area.goto('/area-usuario')
  await expect(area.getByText('Aguardando pagamento').first()).toBeVisible()
  await expect(area.getByRole('link', { name: 'Ver boleto' })).toBeVisible()

  // Whoever chooses again is told of the boleto that waits, before the offers.
  await choosePlan(area, 'Elite', 'Nível 2')
  await area.waitForURL('**/upsell')
  const notice = area.getByRole('region', { name: 'Você tem um boleto aberto' })
  await expect(notice.getByRole('link', { name: 'Ver boleto' })).toBeVisible()
  await notice.getByRole('button', { name: 'Pagar de outro jeito' }).click()
  await expect(notice).toHaveCount(0)
  // Asked once: the checkout that follows does not ask again.
  const another = await takeOffer(area, 'Anual')
  await expect(paymentFrame(another).getByLabel('Número do cartão')).toBeVisible()
  await expect(another.getByText('Você está no teste grátis')).toBeVisible()
  await expect(another.getByText('Você tem um boleto aberto')).toHaveCount(0)
  await another.close()
  await area.waitForURL('**/payment-canceled**')
  await area.goto('/area-usuario')

  await tab.getByRole('button', { name: 'Simular pagamento' }).click()
  await page.waitForURL('**/payment-success**', { timeout: 30_000 })
  await area.reload()
  await expect(area.getByText('Ativa', { exact: true })).toBeVisible()
})
