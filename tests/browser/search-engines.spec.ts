import { expect, test } from './product'

const searchPages = [
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
const accountPages = [
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

test('robots.txt names the sitemap, which lists each search page at its public address', async ({
  page,
  product,
}) => {
  expect(await (await page.request.get('/robots.txt')).text()).toContain(
    `Sitemap: ${product.url}/sitemap.xml`,
  )
  const map = await page.request.get('/sitemap.xml')
  expect(map.headers()['content-type']).toBe('application/xml')
  const places = [...(await map.text()).matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place]) => place)
  expect([...places].sort()).toEqual(searchPages.map((path) => `${product.url}${path}`).sort())
})

test('each page has a title, description, canonical address and image, and its aliases point to it', async ({
  page,
  product,
}) => {
  const titles = new Set<string>()
  for (const path of [...searchPages, ...Object.keys(aliases)]) {
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
  expect(titles.size).toBe(searchPages.length)
})

test('the image of a shared link has the size that the pages state', async ({ page }) => {
  await page.goto('/')
  const size = await page.evaluate(async () => {
    const image = new Image()
    image.src = '/garimpo.jpg'
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })
  expect(size).toEqual([1200, 630])
  const readImageSize = (name: string) =>
    page.locator(`meta[property="og:image:${name}"]`).getAttribute('content')
  expect([await readImageSize('width'), await readImageSize('height')]).toEqual(['1200', '630'])
})

test('icons and manifest load after the first paint, and are in the page without JavaScript', async ({
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

test('the structured data has the company, the product with its offers and the breadcrumbs', async ({
  page,
  product,
}) => {
  const readStructuredData = async (path: string) => {
    const html = await (await page.request.get(path)).text()
    const text = html.match(/<script type="application\/ld\+json">(.*?)<\/script>/s)?.[1] ?? '{"@graph":[]}'
    return JSON.parse(text)['@graph'] as { '@type': string; [key: string]: unknown }[]
  }
  const [company, sold] = await readStructuredData('/')
  expect(company).toMatchObject({ '@type': 'Organization', url: `${product.url}/`, foundingDate: '2024' })
  expect(sold).toMatchObject({ '@type': 'Product', image: `${product.url}/garimpo.jpg` })
  expect(sold?.offers).toHaveLength(10)
  // The prices of the cards without a code: the first month with the default coupon, then the
  // regular price.
  for (const path of ['/planos-promo', '/promo-landing']) {
    const promoted = (await readStructuredData(path)).find((thing) => thing['@type'] === 'Product')
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
  for (const path of searchPages.filter((path) => !['/', '/bio'].includes(path))) {
    const trail = (await readStructuredData(path)).find((thing) => thing['@type'] === 'BreadcrumbList')
    expect(trail?.itemListElement, path).toMatchObject([
      { item: `${product.url}/` },
      { item: `${product.url}${path}` },
    ])
  }
})

test('account pages and unknown addresses are not indexed', async ({ page }) => {
  for (const path of [...accountPages, '/nao-existe']) {
    const answer = await page.request.get(path)
    expect(answer.headers()['x-robots-tag'], path).toBe('noindex')
    expect(await answer.text(), path).toContain('<meta name="robots" content="noindex"')
  }
})

test('sign-in and sign-up have link previews and are not indexed', async ({ page, product }) => {
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
