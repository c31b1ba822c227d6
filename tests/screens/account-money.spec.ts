import type { Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { expectAccessible } from '../browser/accessibility'
import { dialog } from '../browser/account-page'
import { createSubscriber } from './account'
import { monthlyOf, preview } from './messages'
import { expect, test } from './screen-test'

const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })

test('a cancellation because of the price offers a cheaper plan, which opens already chosen', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, monthlyOf('elite_nivel_3'))
  backend.returns(BillingService.method.previewPlanChange, preview({ amountDueCentavos: -5_000n }))
  await page.goto('/area-usuario')
  await subscription(page).getByRole('button', { name: 'Cancelar assinatura' }).click()
  const why = dialog(page).getByLabel('Por que você está cancelando? (opcional)')
  await why.selectOption('Uso pouco')
  const take = dialog(page).getByRole('button', { name: /^Mudar para o Top Afiliado, R\$\s97,90\/mês$/ })
  await expect(take).toHaveCount(0)
  await why.selectOption('Está caro para mim')
  await expect(take).toBeVisible()
  await expectAccessible(page, 'dialog')
  await take.click()
  await expect(dialog(page).getByRole('heading', { name: 'Mudar de plano' })).toBeVisible()
  await expect(dialog(page).getByRole('radio', { name: 'Top Afiliado' })).toBeChecked()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(dialog(page).getByText('Vira crédito')).toBeVisible()
})
