import { expectAccessible, expectFits } from './accessibility'
import { expect, test } from './product'

for (const [address, title, sections] of [
  ['/termos', 'Termos de Uso', 15],
  ['/politicas-de-privacidade', 'Políticas de Privacidade', 11],
] as const) {
  test(`${address} has the whole text, the date and the company details`, async ({ page }) => {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
    await expect(page.getByText('Última atualização: 29 de abril de 2025')).toBeVisible()
    await expect(page.getByRole('article').getByRole('region')).toHaveCount(sections)
    const contents = page.getByRole('navigation', { name: 'Nesta página' }).getByRole('link')
    await expect(contents).toHaveCount(sections)
    for (const fact of [
      'Garimpo Tecnologia Ltda.',
      '00.000.000/0000-00',
      'Rua Exemplo, 000, Centro, São Paulo/SP, CEP 00000-000',
      '(00) 00000-0000',
    ])
      await expect(page.getByRole('article').getByText(fact, { exact: true })).toBeVisible()

    const last = contents.last()
    const name = await last.innerText()
    await last.click()
    await expect(page.getByRole('heading', { name })).toBeInViewport()
    for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
    await expectAccessible(page)
  })
}

test('the terms state the time limits of refund, renewal, cancellation and notice', async ({ page }) => {
  await page.goto('/termos')
  for (const sentence of [
    '7 dias de teste grátis do plano Profissional',
    'renova automaticamente ao fim de cada período',
    'costuma aparecer na fatura em 5 a 10 dias úteis',
    'a devolução é por Pix em até 30 dias. A chave Pix precisa ser o email da assinatura.',
    'O acesso continua até o fim do período já pago',
    '30 dias de antecedência',
  ])
    await expect(page.getByText(sentence)).toBeVisible()
})

test('the about page states its audience and the founding year 2024', async ({ page }) => {
  await page.goto('/sobre')
  await expect(page.locator('html')).toHaveAttribute('lang', 'pt-BR')
  await expect(page.getByText('afiliados, criadores de conteúdo e empreendedores digitais')).toBeVisible()
  await expect(page.getByText('Fundada em 2024.')).toBeVisible()
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
})

test('the bio page shows six links with utm in order, four networks, the year, no header and no footer', async ({
  page,
}) => {
  await page.goto('/bio')
  const links = page.getByRole('list', { name: 'Links' }).getByRole('link')
  await expect(links).toHaveText([
    'Site oficial',
    'Teste grátis por 7 dias',
    'Cupom de primeira assinatura',
    'Falar com um atendente no WhatsApp',
    'Suporte',
    'Central de Ajuda',
  ])
  for (const link of await links.all()) {
    const query = new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams
    expect([query.get('utm_source'), query.get('utm_medium'), query.get('utm_campaign')]).toEqual([
      'instagram',
      'bio',
      'perfil',
    ])
  }
  await expect(page.getByRole('list', { name: 'Redes sociais' }).getByRole('link')).toHaveText([
    'TikTok',
    'YouTube',
    'Instagram',
    'Facebook',
  ])
  const { serverTime } = await (await page.request.get('/config.json')).json()
  await expect(page.getByText(`© Garimpo ${String(serverTime).slice(0, 4)}`)).toBeVisible()
  await expect(page.getByRole('banner')).toHaveCount(0)
  await expect(page.getByRole('contentinfo')).toHaveCount(0)
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)

  await links.nth(2).click()
  await expect(page).toHaveURL(/\/planos-promo\?promo=novo&utm_source=instagram/)
  await expect(page.getByText('NOVO10', { exact: true })).toBeVisible()
})

test('an unknown address returns 404 with a fixed text and logs the path', async ({ page, pageErrors }) => {
  const answer = await page.goto('/nao-existe')
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: '404' })).toBeVisible()
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'Voltar para a página inicial' }).click()
  await expect(page).toHaveURL(/\/$/)
  pageErrors.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
})
