import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { arriveAtUpsell, choosePlan, signIn } from '../browser/product'
import { createSubscriber, SESSION } from './account'
import { checkout } from './messages'
import { expect, test } from './screen-test'

test('a subscriber who signs in with a chosen plan sees the portal and no offer', async ({
  page,
  backend,
}) => {
  const who = await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await choosePlan(page, 'Elite PRO', 'PRO 1')
  await page.waitForURL('**/cadastro')

  await page.getByRole('link', { name: 'Faça login' }).click()
  await page.waitForURL('**/login')
  await signIn(page, who)

  await page.waitForURL('**/upsell')
  await expect(page.getByRole('heading', { name: 'Você já tem uma assinatura ativa!' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Gerenciar Plano' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Mudar de plano' })).toHaveAttribute(
    'href',
    '/area-usuario?plano=elite_pro_1',
  )
  await expect(page.getByRole('button', { name: 'Aproveitar Oferta' })).toHaveCount(0)
})

test('without a session in the address, no payment is confirmed to a user without a subscription', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')

  await page.goto('/payment-success?planName=elite_nivel_2&interval=anual&price=1')
  await expect(page.getByRole('heading', { name: 'Não encontramos este pagamento' })).toBeVisible()
  await page.goto('/payment-awaited?session_id=cs_test_nenhuma')
  await expect(page.getByRole('heading', { name: 'Não encontramos este pagamento' })).toBeVisible()
})

test('the canceled page does not mention charges before the server responds', async ({
  page,
  backend,
  pageErrors,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  backend.returns(BillingService.method.getCheckoutSession, checkout())
  await page.route('**/GetCheckoutSession', (route) => route.abort())

  await page.clock.install()
  await page.goto(`/payment-canceled?session_id=${SESSION}`)

  await expect(page.getByRole('heading', { name: 'Conferindo o pagamento' })).toBeVisible()
  await page.clock.fastForward(10_000)
  await expect(page.getByRole('link', { name: 'Ver minha conta' })).toBeVisible()
  await expect(page.getByText('Nenhuma cobrança foi feita')).toHaveCount(0)
  await page.unroute('**/GetCheckoutSession')
  await expect(page.getByText('Nenhuma cobrança foi feita')).toBeVisible()
  pageErrors.expect(/ERR_FAILED .*GetCheckoutSession/)
})
