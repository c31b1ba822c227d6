import { createSubscriber, expect, test } from './product'

test('the manage button opens the portal of the provider, which returns to the account', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto('/area-usuario')
  const card = page.getByRole('region', { name: 'Assinatura' })
  await expect(card.getByText('Ativa')).toBeVisible()

  await card.getByRole('button', { name: 'Gerenciar Plano' }).click()
  await page.waitForURL(`${product.sandbox}/portal/**`)
  await expect(page.getByRole('heading', { name: 'Sua assinatura' })).toBeVisible()
  await page.getByRole('link', { name: 'Voltar ao site' }).click()

  await page.waitForURL(`${product.url}/area-usuario`)
  await expect(card.getByText('Elite Nível 2')).toBeVisible()
  await expect(card.getByText('Ativa')).toBeVisible()
})

test('without the portal the account shows its error, and another try opens the portal', async ({
  page,
  product,
  pageErrors,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto('/area-usuario')
  const manage = page.getByRole('button', { name: 'Gerenciar Plano' })
  await page.route('**/garimpo.billing.v1.BillingService/CreatePortalSession', (route) => route.abort())

  await manage.click()
  await expect(
    page.getByText('Não foi possível acessar o portal de gerenciamento de assinatura'),
  ).toBeVisible()
  pageErrors.expect(/ERR_FAILED .*CreatePortalSession/, /the portal did not open AppError: OFFLINE/)
  await page.unrouteAll()
  await manage.click()

  await page.waitForURL(`${product.sandbox}/portal/**`)
})
