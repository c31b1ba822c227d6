import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newPerson, type Person } from '../browser/product'
import type { Engine } from './engine'
import { expect, test } from './fixtures'

const PHONE = [390, 844] as const
const DESKTOP = [1280, 800] as const
const { routes }: { routes: { path: string }[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../web/dist/routes.json'), 'utf8'),
)

const labelled = (name: string) =>
  `@aria-label="${name}" or @aria-labelledby=//*[normalize-space(.)="${name}"]/@id`
const region = (name: string) => `//section[${labelled(name)}]`
const heading = (name: string) => `//*[self::h1 or self::h2 or self::h3][normalize-space(.)="${name}"]`
const button = (name: string) => `//button[normalize-space(.)="${name}" or ${labelled(name)}]`
const link = (name: string) => `//a[normalize-space(.)="${name}"]`
const field = (label: string) => `//input[@id=//label[normalize-space(.)="${label}"]/@for]`
const containing = (text: string) => `//*[text()[contains(normalize-space(.), "${text}")]]`

/** The path of a hydrated page. */
const readyPath = () => {
  const isReady =
    document.readyState === 'complete' && !document.querySelector('#root[data-static], [aria-busy]')
  return isReady ? location.pathname : 'not ready'
}

async function waitForPath(engine: Engine, path: string) {
  await expect.poll(() => engine.run(readyPath), 'the page').toBe(path)
}

async function openPage(engine: Engine, address: string) {
  await engine.open(address)
  await engine.see('//h1')
  await expect.poll(() => engine.run(readyPath), address).not.toBe('not ready')
}

/** Refuses ads in the consent bar. */
async function refuseAds(engine: Engine) {
  await engine.click(button('Recusar'))
  await expect
    .poll(() => engine.run(() => document.querySelector('section[aria-label="Sua privacidade"]') === null))
    .toBe(true)
}

async function signUp(engine: Engine, who: Person) {
  await engine.type(field('Nome completo'), who.name)
  await engine.type(field('Email'), who.email)
  await engine.type(field('Senha'), who.password)
  await engine.click(button('Criar conta'))
}

/** Window size, overflow, broken images and font of the page. */
const measure = () => {
  const images = [...document.images].filter((image) => image.complete && image.naturalWidth === 0)
  return {
    size: [innerWidth, innerHeight],
    isTooWide: document.documentElement.scrollWidth > innerWidth,
    lost: images.map(({ src }) => src),
    hasFont: document.fonts.check('16px "Figtree Variable"'),
  }
}

for (const [where, [width, height]] of Object.entries({ phone: PHONE, desktop: DESKTOP }))
  test(`each page opens complete on a ${where}, without errors or sideways scrolling`, async ({
    engine,
    site,
  }) => {
    await engine.resize(width, height)
    for (const path of [...routes.map((route) => route.path), '/planos-promo?promo=final', '/nao-existe']) {
      await openPage(engine, site.url + path)
      await expect
        .poll(() => engine.run(measure), path)
        .toEqual({ size: [width, height], isTooWide: false, lost: [], hasFont: true })
    }
    const expected = 'No route answers /nao-existe'
    await expect.poll(() => engine.errors).toContain(expected)
    expect(engine.errors.splice(0)).toEqual([expected])
  })

test('a visitor chooses a plan, signs up, pays by card and finds the active subscription', async ({
  engine,
  site,
}) => {
  const ana = newPerson()
  await engine.resize(...PHONE)
  await openPage(engine, `${site.url}/planos`)
  await refuseAds(engine)
  await engine.click(`${region('Elite')}//button[contains(., "Testar grátis")]`)
  await waitForPath(engine, '/cadastro')
  await signUp(engine, ana)
  await waitForPath(engine, '/upsell')
  await engine.click(`${region('Anual')}${button('Aproveitar Oferta')}`)
  await engine.inTab(
    () => engine.click(`//dialog${button('Confirmar')}`),
    async () => {
      await engine.resize(...DESKTOP)
      await engine.inFrame(async () => {
        await engine.type(field('Número do cartão'), '4242424242424242')
        await engine.type(field('Validade'), '12/34')
        await engine.type(field('CVC'), '123')
        await engine.type(field('Nome no cartão'), 'ANA M SOUZA')
        await engine.click(button('Assinar'))
      })
    },
  )
  await waitForPath(engine, '/payment-success')
  await engine.see(heading('Pagamento confirmado!'))
  await openPage(engine, `${site.url}/area-usuario`)
  await engine.see(`${region('Assinatura')}//*[normalize-space(.)="Ativa"]`)
})

test('a user signs out, is refused with a wrong password, signs in and sees the account', async ({
  engine,
  site,
}) => {
  const ana = newPerson()
  await engine.resize(...PHONE)
  await openPage(engine, `${site.url}/cadastro`)
  await refuseAds(engine)
  await signUp(engine, ana)
  await waitForPath(engine, '/account-confirmation')
  await openPage(engine, `${site.url}/area-usuario`)
  await engine.see(containing(ana.email.split('@')[0] ?? ''))
  await engine.click(button('Sair'))
  await waitForPath(engine, '/')

  await openPage(engine, `${site.url}/login`)
  await engine.type(field('Email'), ana.email)
  await engine.type(field('Senha'), 'errada1')
  await engine.click(button('Entrar'))
  await engine.see(containing('Email ou senha inválidos'))
  await engine.type(field('Senha'), ana.password)
  await engine.click(button('Entrar'))
  await waitForPath(engine, '/area-usuario')
  await engine.see(containing(ana.email.split('@')[0] ?? ''))
  await engine.click(button('Editar perfil'))
  await engine.see(`//dialog${field('Nome completo')}`)
  await engine.press('Escape')
  await expect.poll(() => engine.run(() => document.querySelector('dialog[open]') === null)).toBe(true)
})

test('on a phone the menu opens and navigates, tabs show their level and questions open', async ({
  engine,
  site,
}) => {
  await engine.resize(...PHONE)
  await openPage(engine, `${site.url}/`)
  await refuseAds(engine)
  await engine.click(button('Abrir menu'))
  await engine.click(`//header${link('Planos')}`)
  await waitForPath(engine, '/planos')
  await engine.click(`${region('Elite')}//*[@role="tab"][normalize-space(.)="Nível 2"]`)
  await engine.see(`${region('Elite')}${heading('Elite Nível 2')}`)
  await engine.click('(//details/summary)[1]')
  await expect.poll(() => engine.run(() => document.querySelectorAll('details[open]').length)).toBe(1)
})
