import { expect, test } from './product'

const ours = [
  '/',
  '/planos',
  '/planos-promo',
  '/promo-landing',
  '/solucoes',
  '/sobre',
  '/termos',
  '/politicas-de-privacidade',
  '/bio',
]
const aliases = {
  '/home': '/',
  '/selecionar-plano': '/planos',
  '/promo': '/planos-promo',
  '/afiliado': '/planos-promo',
}
const account = [
  '/login',
  '/signup',
  '/cadastro',
  '/esqueci-senha',
  '/redefinir-senha',
  '/confirmar-email',
  '/conta-excluida',
  '/upsell',
  '/checkout',
  '/checkout-return',
  '/area-usuario',
  '/confirmar-pagamento',
  '/payment-success',
  '/payment-canceled',
  '/payment-awaited',
  '/account-confirmation',
]

test('o robots.txt nomeia o mapa, e o mapa tem cada página de busca no endereço público', async ({
  page,
  product,
}) => {
  expect(await (await page.request.get('/robots.txt')).text()).toContain(
    `Sitemap: ${product.url}/sitemap.xml`,
  )
  const map = await page.request.get('/sitemap.xml')
  expect(map.headers()['content-type']).toBe('application/xml')
  const places = [...(await map.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place]) => place)
  expect([...places].sort()).toEqual(ours.map((path) => `${product.url}${path}`).sort())
})

test('cada página diz título, descrição, endereço principal e imagem, e os apelidos apontam para ela', async ({
  page,
  product,
}) => {
  const titles = new Set<string>()
  for (const path of [...ours, ...Object.keys(aliases)]) {
    const html = await (await page.request.get(path)).text()
    const meta = (name: string) =>
      html.match(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`))?.[1]
    const main = aliases[path as keyof typeof aliases] ?? path
    expect(html.match(/<link rel="canonical" href="([^"]*)"/)?.[1], path).toBe(`${product.url}${main}`)
    expect(meta('og:url'), path).toBe(`${product.url}${main}`)
    expect(meta('og:image'), path).toBe(`${product.url}/garimpo.jpg`)
    expect(meta('description')?.length, path).toBeGreaterThan(60)
    expect(meta('og:description'), path).toBe(meta('description'))
    expect(meta('robots'), path).toBeUndefined()
    expect(html, path).not.toContain('garimpo.invalid')
    const title = html.match(/<title>([^<]*)<\/title>/)?.[1] ?? ''
    expect(meta('og:title'), path).toBe(title)
    if (main === path) titles.add(title)
  }
  expect(titles.size).toBe(ours.length)
})

test('a imagem de link compartilhado existe no tamanho que as páginas dizem', async ({ page }) => {
  await page.goto('/')
  const size = await page.evaluate(async () => {
    const image = new Image()
    image.src = '/garimpo.jpg'
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })
  expect(size).toEqual([1200, 630])
  const said = (name: string) => page.locator(`meta[property="og:image:${name}"]`).getAttribute('content')
  expect([await said('width'), await said('height')]).toEqual(['1200', '630'])
})

test('ícones e manifesto vêm depois da primeira pintura, e sem JavaScript estão na página', async ({
  page,
  browser,
  product,
}) => {
  const links = '/favicon.svg /icon-180.png /manifest.webmanifest'
  const named = 'link[rel=icon], link[rel=apple-touch-icon], link[rel=manifest]'
  for (const path of ['/', '/termos', '/login']) {
    await page.goto(path)
    await expect
      .poll(() =>
        page.locator(named).evaluateAll((all) => all.map((link) => link.getAttribute('href')).join(' ')),
      )
      .toBe(links)
  }
  for (const link of links.split(' ')) expect((await page.request.get(link)).status(), link).toBe(200)

  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: product.url })
  const plain = await context.newPage()
  await plain.goto('/')
  await expect(plain.locator('noscript link')).toHaveCount(3)
  await context.close()
})

test('os dados estruturados trazem empresa, produto com ofertas e caminho', async ({ page, product }) => {
  const things = async (path: string) => {
    const html = await (await page.request.get(path)).text()
    const text = html.match(/<script type="application\/ld\+json">(.*?)<\/script>/s)?.[1] ?? '{"@graph":[]}'
    return JSON.parse(text)['@graph'] as { '@type': string; [key: string]: unknown }[]
  }
  const [company, sold] = await things('/')
  expect(company).toMatchObject({ '@type': 'Organization', url: `${product.url}/`, foundingDate: '2024' })
  expect(sold).toMatchObject({ '@type': 'Product', image: `${product.url}/garimpo.jpg` })
  expect(sold?.offers).toHaveLength(10)
  // What the cards show without a code: the first month of the default one, then the regular price.
  for (const path of ['/planos-promo', '/promo-landing']) {
    const promoted = (await things(path)).find((thing) => thing['@type'] === 'Product')
    const [offer] = (promoted?.offers ?? []) as {
      price: string
      url: string
      priceSpecification: { price: string }[]
    }[]
    expect([offer?.price, offer?.url, offer?.priceSpecification[1]?.price], path).toEqual([
      '88.11',
      `${product.url}${path}`,
      '97.90',
    ])
  }
  for (const path of ours.filter((path) => !['/', '/bio'].includes(path))) {
    const trail = (await things(path)).find((thing) => thing['@type'] === 'BreadcrumbList')
    expect(trail?.itemListElement, path).toMatchObject([
      { item: `${product.url}/` },
      { item: `${product.url}${path}` },
    ])
  }
})

test('as páginas de conta e o endereço desconhecido ficam fora das buscas', async ({ page }) => {
  for (const path of [...account, '/nao-existe']) {
    const answer = await page.request.get(path)
    expect(answer.headers()['x-robots-tag'], path).toBe('noindex')
    expect(await answer.text(), path).toContain('<meta name="robots" content="noindex"')
  }
})

test('login e cadastro, que se mandam por link, mostram do que tratam sem entrar nas buscas', async ({
  page,
  product,
}) => {
  for (const [path, main, title] of [
    ['/login', '/login', 'Entrar | Garimpo'],
    ['/cadastro', '/cadastro', 'Criar conta | Garimpo'],
    ['/signup', '/cadastro', 'Criar conta | Garimpo'],
  ]) {
    const html = await (await page.request.get(path ?? '')).text()
    const meta = (name: string) =>
      html.match(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`))?.[1]
    expect(meta('og:title'), path).toBe(title)
    expect(meta('og:url'), path).toBe(`${product.url}${main}`)
    expect(meta('og:image'), path).toBe(`${product.url}/garimpo.jpg`)
    expect(meta('description')?.length, path).toBeGreaterThan(60)
    expect(meta('robots'), path).toBe('noindex')
  }
})
