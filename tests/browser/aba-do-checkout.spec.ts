import { openedSession, payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  choosePlan,
  expect,
  ownProduct,
  type Product,
  signIn,
  takeOffer,
  test,
  walkToUpsell,
} from './product'

const card = { card: '4242424242424242' }

test('pago com a aba passando por /checkout-return, a página das ofertas também confirma', async ({
  page,
  product,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  const session = await openedSession(tab)
  expect(await product.act(`checkout/${session}`, card)).toBe(200)

  await tab.goto(`/checkout-return?session_id=${session}`)

  await tab.waitForURL('**/payment-success**')
  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('as ofertas recarregadas com a aba aberta seguem para a confirmação quando ela paga', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await openedSession(tab)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Aproveite as Ofertas Exclusivas' })).toBeVisible()

  await payByCard(tab, card.card)

  await page.waitForURL('**/payment-success**')
  await expect.poll(() => tab.isClosed()).toBe(true)
})

test('as ofertas recarregadas depois do pagamento seguem para a confirmação', async ({ page, product }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await openedSession(await takeOffer(page, 'Semestral'))
  expect(await product.act(`checkout/${session}`, card)).toBe(200)

  await page.reload()

  await page.waitForURL(`**/payment-success?session_id=${session}`)
})

test('sem quem espere por ela, a aba paga vai sozinha à confirmação', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await openedSession(tab)
  await page.goto('/planos')

  await payByCard(tab, card.card)

  await tab.waitForURL('**/payment-success**')
  await expect(tab.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('quem já assina e volta pelo login com um plano escolhido vê o portal e nenhuma oferta', async ({
  page,
}) => {
  const who = await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await payByCard(await takeOffer(page, 'Anual'), card.card)
  await page.waitForURL('**/payment-success**')
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

test('com o armazenamento bloqueado a escolha chega à aba e a compra termina', async ({ page, context }) => {
  await context.addInitScript(() => {
    if (location.protocol !== 'http:' || window !== window.top) return
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('blocked', 'SecurityError')
      },
    })
  })
  await walkToUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText('871,60')

  await payByCard(tab, card.card)

  await page.waitForURL('**/payment-success?session_id=**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('sem sessão no endereço nenhum pagamento é confirmado a quem não assina', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')

  await page.goto('/payment-success?planName=elite_nivel_2&interval=anual&price=1')
  await expect(page.getByRole('heading', { name: 'Não encontramos este pagamento' })).toBeVisible()
  await page.goto('/payment-awaited?session_id=cs_test_nenhuma')
  await expect(page.getByRole('heading', { name: 'Não encontramos este pagamento' })).toBeVisible()
})

test('o cancelado não fala de cobrança antes da resposta do servidor', async ({ page, complaints }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const tab = await takeOffer(page, 'Semestral')
  const session = await openedSession(tab)
  await page.route('**/GetCheckoutSession', (route) => route.abort())

  await page.clock.install()
  await page.goto(`/payment-canceled?session_id=${session}`)

  await expect(page.getByRole('heading', { name: 'Conferindo o pagamento' })).toBeVisible()
  await page.clock.fastForward(10_000)
  await expect(page.getByRole('link', { name: 'Ver minha conta' })).toBeVisible()
  await expect(page.getByText('Nenhuma cobrança foi feita')).toHaveCount(0)
  await page.unroute('**/GetCheckoutSession')
  await expect(page.getByText('Nenhuma cobrança foi feita')).toBeVisible()
  complaints.expect(/ERR_FAILED .*GetCheckoutSession/)
})

const onBlackNovember = test.extend<{ product: Product }>(ownProduct({ GARIMPO_BLACK_NOVEMBER: 'on' }))

onBlackNovember('olhar a oferta anual não custa o preço da Black November', async ({ page }) => {
  const deal = page.getByText(/R\$\s97,90 no 1º mês/)
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'))
  await walkToUpsell(page, 'Elite', 'Nível 1')
  await expect(deal).toBeVisible()
  const before = await stored()

  await (await takeOffer(page, 'Anual')).close()
  await page.waitForURL('**/payment-canceled**')
  expect(await stored()).toEqual(before)
  await page.getByRole('link', { name: 'Retomar assinatura' }).click()
  await page.waitForURL('**/upsell')
  await expect(deal).toBeVisible()

  // While the tab is open the offer is what is stored: a page that opens meanwhile finds the deal again.
  await openedSession(await takeOffer(page, 'Anual'))
  await page.reload()
  await expect(deal).toBeVisible()
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  await expect((await popup).getByRole('complementary', { name: 'Resumo' })).toContainText('97,90')
})
