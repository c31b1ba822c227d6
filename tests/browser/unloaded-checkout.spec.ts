/** A checkout tab that the browser could not load. */
import { expectAccessible } from './accessibility'
import { goOffline } from './calls'
import { payByCard } from './payment-frame'
import { arriveAtUpsell, expect, test } from './product'

test('a checkout tab that never loaded keeps the offers and tries again', async ({
  page,
  context,
  pageErrors,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const monthly = page.getByRole('button', { name: 'Continuar com o plano mensal' })
  await expect(monthly).toBeVisible()
  await goOffline(page)
  await monthly.click()

  const notice = page.getByRole('dialog', { name: 'Sem conexão' })
  await expect(notice).toBeVisible()
  await expect(page).toHaveURL(/\/upsell$/)
  await expectAccessible(page)

  await context.setOffline(false)
  const tab = page.waitForEvent('popup')
  await notice.getByRole('button', { name: 'Tentar novamente' }).click()
  await payByCard(await tab, '4242424242424242')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
  pageErrors.expect(/ERR_INTERNET_DISCONNECTED/)
})
