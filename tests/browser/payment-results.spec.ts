import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { createSubscriber, expect, newPerson, type Product, productPerTest, signUp, test } from './product'

const isolatedTest = test.extend<{ product: Product }>(productPerTest())

const expectFitsAndAccessible = async (page: Page) => {
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
}

isolatedTest(
  'the account confirmation and the canceled page show the rest of the trial, then its end',
  async ({ page, product }) => {
    await page.goto('/cadastro')
    await signUp(page, newPerson())
    await page.waitForURL('**/account-confirmation')

    await expect(page.getByRole('heading', { level: 1, name: 'Conta criada com sucesso!' })).toBeVisible()
    await expect(page.getByText('7 dias grátis', { exact: true })).toBeVisible()
    await expect(page.getByRole('timer')).toHaveText(/^06dias23horas5\dmin\d\dseg$/)
    const bar = page.getByRole('progressbar', { name: 'Tempo de teste usado' })
    expect(await bar.getAttribute('max')).toBe('100')
    expect(Number(await bar.getAttribute('value'))).toBeLessThan(2)
    await expect(page.getByRole('link', { name: 'Começar Agora' })).toHaveAttribute('href', /garimpo=app/)
    // A choice that the plans page cleared can be made again from here.
    await expect(page.getByRole('main').getByRole('link', { name: 'Ver planos' })).toHaveAttribute(
      'href',
      '/planos',
    )
    await expectFitsAndAccessible(page)

    await page.goto('/payment-canceled')
    await expect(page.getByRole('heading', { name: 'Pagamento cancelado' })).toBeVisible()
    await expect(page.getByText('Nenhuma cobrança foi feita.')).toBeVisible()
    await expect(
      page.getByText('Você continua no plano Profissional, em teste grátis. Faltam:'),
    ).toBeVisible()
    await expect(page.getByRole('timer')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Voltar aos planos' })).toHaveAttribute('href', '/planos')
    await expect(page.getByRole('main').getByRole('link', { name: 'Acessar a plataforma' })).toBeVisible()
    await expectFitsAndAccessible(page)

    const walk = (days: number) =>
      page.request.post(`${product.sandbox}/clock`, {
        data: { advance_seconds: days * 86_400, keep_sessions: true },
      })
    await walk(3.5)
    await page.goto('/account-confirmation')
    await expect(page.getByRole('progressbar')).toHaveAttribute('value', /^(49|50|51)$/)
    await walk(4)
    await page.goto('/account-confirmation')
    await expect(page.getByRole('heading', { level: 1, name: 'Seu teste grátis terminou' })).toBeVisible()
    await expect(page.getByText('Conta criada com sucesso!')).toHaveCount(0)
    await expect(page.getByRole('timer')).toHaveText('00dias00horas00min00seg')
    await expect(page.getByRole('progressbar')).toHaveAttribute('value', '100')
    await expect(page.getByRole('main').getByRole('link', { name: 'Ver planos' })).toBeVisible()
    await expectAccessible(page)
    await page.goto('/payment-canceled')
    await expect(page.getByText('Nenhuma cobrança foi feita.')).toBeVisible()
    await expect(page.getByRole('timer')).toHaveCount(0)
  },
)

test('the success page shows plan, period, amount, next charge, guarantee, receipt and next steps', async ({
  page,
  product,
}) => {
  const { session } = await createSubscriber(page, product, 'Elite Nível 2', { interval: 'semestral' })
  await page.goto(`/payment-success?session_id=${session}`)

  await expect(page.getByRole('heading', { level: 1, name: 'Pagamento confirmado!' })).toBeVisible()
  await expect(page.getByText('Em instantes você recebe um email com os detalhes.')).toBeVisible()
  const inDays = (days: number) =>
    new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(
      new Date(Date.now() + days * 86_400_000),
    )
  await expect(page.getByRole('definition')).toHaveText([
    'Elite Nível 2',
    'Semestral',
    /R\$\s871,60/,
    new RegExp(`^R\\$\\s871,60 em ${inDays(180)}$`),
    new RegExp(`^${inDays(7)} às`),
  ])
  await expect(page.getByRole('term')).toHaveText([
    'Plano',
    'Período',
    'Valor pago',
    'Próxima cobrança',
    'Garantia até',
  ])
  await expect(page.getByRole('link', { name: 'Ver recibo' })).toHaveAttribute(
    'href',
    new RegExp(`^${product.sandbox}`),
  )
  await expect(page.getByRole('region', { name: 'Seus próximos passos' }).getByRole('listitem')).toHaveText([
    /^Conecte o WhatsApp/,
    /^Diga o que seu público compra/,
    /^Receba o primeiro post/,
  ])
  await expect(page.getByRole('main').getByRole('link', { name: 'Acessar a plataforma' })).toHaveAttribute(
    'href',
    /garimpo=app/,
  )
  await expectFitsAndAccessible(page)

  await page.goto('/account-confirmation')
  await expect(
    page.getByText('Sua assinatura está ativa e o seu plano já está liberado no app.'),
  ).toBeVisible()
  await expect(page.getByRole('timer')).toHaveCount(0)
})

test('the waiting page shows the boleto, the trial and the receipt link, and confirms a copied code', async ({
  page,
  product,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const purchase = { interval: 'semestral', by: 'open boleto' }
  const { session } = await createSubscriber(page, product, 'Elite Nível 2', purchase)
  await page.goto(`/payment-awaited?session_id=${session}`)

  await expect(page.getByRole('heading', { level: 1, name: 'Aguardando pagamento' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Boleto' })).toContainText('R$ 871,60')
  await expect(page.getByRole('timer')).toHaveText(/^06dias23horas5\dmin\d\dseg$/)
  const receipt = page.getByRole('link', { name: 'Enviar Comprovante' })
  await expect(receipt).toHaveAttribute('href', /text=.*comprovante/)
  await page.getByRole('button', { name: 'Copiar código' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Código copiado' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\d{47}$/)
  await expectFitsAndAccessible(page)
})
