import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Person, person } from '../browser/product'
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

/** The path of a page whose scripts are at work. */
const readyPath = () => {
  const isReady =
    document.readyState === 'complete' && !document.querySelector('#root[data-static], [aria-busy]')
  return isReady ? location.pathname : 'not ready'
}

async function arrives(engine: Engine, path: string) {
  await expect.poll(() => engine.run(readyPath), 'the page').toBe(path)
}

async function opens(engine: Engine, address: string) {
  await engine.open(address)
  await engine.see('//h1')
  await expect.poll(() => engine.run(readyPath), address).not.toBe('not ready')
}

/** Refuses advertising, as the bar over the first page asks. */
async function refuses(engine: Engine) {
  await engine.click(button('Recusar'))
  await expect
    .poll(() => engine.run(() => document.querySelector('section[aria-label="Sua privacidade"]') === null))
    .toBe(true)
}

async function signsUp(engine: Engine, who: Person) {
  await engine.type(field('Nome completo'), who.name)
  await engine.type(field('Email'), who.email)
  await engine.type(field('Senha'), who.password)
  await engine.click(button('Criar conta'))
}

/** What a page looks like to a visitor, as far as it can be measured. */
const measure = () => {
  const images = [...document.images].filter((image) => image.complete && image.naturalWidth === 0)
  return {
    size: [innerWidth, innerHeight],
    isTooWide: document.documentElement.scrollWidth > innerWidth,
    lost: images.map(({ src }) => src),
    hasFont: document.fonts.check('16px "Figtree Variable"'),
  }
}

for (const [where, [width, height]] of Object.entries({ telefone: PHONE, computador: DESKTOP }))
  test(`toda página abre inteira no ${where}, sem erro e sem rolar para o lado`, async ({ engine, site }) => {
    await engine.resize(width, height)
    for (const path of [...routes.map((route) => route.path), '/planos-promo?promo=final', '/nao-existe']) {
      await opens(engine, site.url + path)
      await expect
        .poll(() => engine.run(measure), path)
        .toEqual({ size: [width, height], isTooWide: false, lost: [], hasFont: true })
    }
    const expected = 'No route answers /nao-existe'
    await expect.poll(() => engine.errors).toContain(expected)
    expect(engine.errors.splice(0)).toEqual([expected])
  })

test('a visita escolhe um plano, cria a conta, paga com cartão e encontra a assinatura ativa', async ({
  engine,
  site,
}) => {
  const ana = person()
  await engine.resize(...PHONE)
  await opens(engine, `${site.url}/planos`)
  await refuses(engine)
  await engine.click(`${region('Elite')}//button[contains(., "Testar grátis")]`)
  await arrives(engine, '/cadastro')
  await signsUp(engine, ana)
  await arrives(engine, '/upsell')
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
  await arrives(engine, '/payment-success')
  await engine.see(heading('Pagamento confirmado!'))
  await opens(engine, `${site.url}/area-usuario`)
  await engine.see(`${region('Assinatura')}//*[normalize-space(.)="Ativa"]`)
})

test('quem tem conta sai, erra a senha, entra e vê a sua conta', async ({ engine, site }) => {
  const ana = person()
  await engine.resize(...PHONE)
  await opens(engine, `${site.url}/cadastro`)
  await refuses(engine)
  await signsUp(engine, ana)
  await arrives(engine, '/account-confirmation')
  await opens(engine, `${site.url}/area-usuario`)
  await engine.see(containing(ana.email.split('@')[0] ?? ''))
  await engine.click(button('Sair'))
  await arrives(engine, '/')

  await opens(engine, `${site.url}/login`)
  await engine.type(field('Email'), ana.email)
  await engine.type(field('Senha'), 'errada1')
  await engine.click(button('Entrar'))
  await engine.see(containing('Email ou senha inválidos'))
  await engine.type(field('Senha'), ana.password)
  await engine.click(button('Entrar'))
  await arrives(engine, '/area-usuario')
  await engine.see(containing(ana.email.split('@')[0] ?? ''))
  await engine.click(button('Editar perfil'))
  await engine.see(`//dialog${field('Nome completo')}`)
  await engine.press('Escape')
  await expect.poll(() => engine.run(() => document.querySelector('dialog[open]') === null)).toBe(true)
})

test('no telefone o menu abre e leva, as abas mostram o nível e as perguntas abrem', async ({
  engine,
  site,
}) => {
  await engine.resize(...PHONE)
  await opens(engine, `${site.url}/`)
  await refuses(engine)
  await engine.click(button('Abrir menu'))
  await engine.click(`//header${link('Planos')}`)
  await arrives(engine, '/planos')
  await engine.click(`${region('Elite')}//*[@role="tab"][normalize-space(.)="Nível 2"]`)
  await engine.see(`${region('Elite')}${heading('Elite Nível 2')}`)
  await engine.click('(//details/summary)[1]')
  await expect.poll(() => engine.run(() => document.querySelectorAll('details[open]').length)).toBe(1)
})
