/**
 * Draws the picture of a shared link, public/garimpo.jpg, from the art of the built home page, and
 * the icons from public/favicon.svg: run it after `npm run build` when the hero or the favicon has
 * changed. Needs a Chromium (CHROMIUM, or /usr/bin/chromium).
 */
import { existsSync, readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { chromium } from '@playwright/test'

const WIDTH = 1200
const HEIGHT = 630
const STYLE = `
  html, body, #root { display: block; min-height: 0; margin: 0; height: ${HEIGHT}px; overflow: hidden; background: var(--areia) }
  .share { display: grid; grid-template-columns: 560px 540px; gap: 36px; align-items: center; width: ${WIDTH}px; height: ${HEIGHT}px;
    padding: 0 0 0 64px; box-sizing: border-box; overflow: hidden; background: var(--surface) }
  .share-words { display: grid; gap: 28px; align-content: center }
  .share-words > span { font-size: 40px }
  .share-words h1 { font-size: 62px; line-height: 1.02; letter-spacing: -0.035em }
  .share-words p { color: var(--text-muted); font-size: 27px; font-weight: 500; line-height: 1.4 }
  .share, .share-art { border: 0 }
  .share-art { position: relative; display: grid; overflow: visible; padding-left: 40px; transform: translateY(24px) }
`

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
const page = await browser.newPage({
  viewport: { width: WIDTH, height: HEIGHT },
  reducedMotion: 'reduce',
  javaScriptEnabled: true,
})
// No server: the page's own files come from the build's folder, and its scripts stay out.
await page.route('**/*', (route) => {
  const { pathname } = new URL(route.request().url())
  if (pathname.endsWith('.js')) return route.abort()
  const file = pathname === '/' ? 'index.html' : pathname.slice(1)
  const packed = `dist/${file}.br`
  if (!existsSync(packed)) return route.fulfill({ path: `dist/${file}` })
  const contentType = file.endsWith('.html') ? 'text/html' : 'text/css'
  return route.fulfill({ contentType, body: brotliDecompressSync(readFileSync(packed)) })
})
await page.goto('http://share.invalid/')
await page.addStyleTag({ content: STYLE })
await page.evaluate(async () => {
  // The site's font is optional to a page; a picture waits for it.
  const font = find('link[as=font]').getAttribute('href')
  document.fonts.add(await new FontFace('Figtree Variable', `url(${font})`, { weight: '300 900' }).load())
  /** @param {string} selector */
  function find(selector) {
    const element = document.querySelector(selector)
    if (!element) throw new Error(`the home page has no ${selector}`)
    return element
  }
  // The built page has shortened class names, so elements are found by their structure.
  const hero = find('section:has(h1)')
  const words = document.createElement('div')
  words.className = 'share-words'
  const note = document.createElement('p')
  note.textContent = 'Teste grátis por 7 dias. Sem cartão.'
  words.append(find('header a[href="/"] > span').cloneNode(true), find('h1').cloneNode(true), note)
  const art = document.createElement('div')
  art.className = `share-art ${hero.className}`
  art.append(...(hero.firstElementChild?.lastElementChild?.childNodes ?? []))
  const share = document.createElement('div')
  share.className = `share ${hero.className} at-night`
  share.append(words, art)
  document.body.replaceChildren(share)
})
await page.screenshot({ path: 'public/garimpo.jpg', type: 'jpeg', quality: 86 })
// A launcher may cut an icon to any shape: the sieve lies in its middle, on a ground to the edges.
const favicon = readFileSync('public/favicon.svg').toString('base64')
for (const size of [180, 192, 512]) {
  await page.setViewportSize({ width: size, height: size })
  await page.setContent(
    `<body style="margin:0;display:grid;height:100vh;place-content:center;background:#0c1a16">
      <img src="data:image/svg+xml;base64,${favicon}" width="${Math.round(size * 0.78)}" alt="">`,
  )
  await page.locator('img').evaluate((image) => /** @type {HTMLImageElement} */ (image).decode())
  await page.screenshot({ path: `public/icon-${size}.png` })
}
await browser.close()
console.log(`public/garimpo.jpg: ${(readFileSync('public/garimpo.jpg').length / 1000).toFixed(1)} KB`)
