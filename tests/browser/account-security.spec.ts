/** Devices, password, profile and email of the account. */

import type { Browser, Page } from '@playwright/test'
import { expectAccessible, expectFitsEveryWidth } from './accessibility'
import { devices, dialog, openNewAccount, region, security, toast } from './account-page'
import { expect, type Person, type Product, productPerTest, signIn, test, waitForMailedLink } from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

/** Confirmations of one client beyond 20 an hour wait, so these have a product of their own. */
const isolatedTest = test.extend<{ product: Product }>(productPerTest())

const PHONE =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

const FIXED_EMAIL = 'O email confirmado não pode ser trocado. Se você o perdeu, fale com o suporte.'

const profile = (page: Page) => region(page, 'Perfil')

/** Signs in to the account on a phone. */
async function openOnPhone(browser: Browser, product: Product, who: Person): Promise<Page> {
  const context = await browser.newContext({
    baseURL: product.url,
    userAgent: PHONE,
    viewport: { width: 390, height: 844 },
  })
  const phone = await context.newPage()
  await phone.goto('/login')
  await signIn(phone, who)
  await phone.waitForURL('**/area-usuario')
  await expect(phone.getByRole('heading', { name: 'Minha Conta' })).toBeVisible()
  return phone
}

test('the list marks this device; ending another one signs it out, and the focus stays in the list', async ({
  page,
  browser,
  product,
}) => {
  const ana = await openNewAccount(page)
  await expect(devices(page)).toContainText('Este aparelho')
  await expect(security(page).getByText('Só este aparelho está conectado.')).toBeVisible()
  await expect(security(page).getByRole('button', { name: /^Encerrar a sessão/ })).toHaveCount(0)
  const phone = await openOnPhone(browser, product, ana)

  await page.reload()
  await expect(devices(page)).toHaveCount(2)
  await expect(devices(page).filter({ hasText: 'Chrome no Android' })).toContainText(
    /Visto por último em \d\d\/\d\d\/\d{4} às \d\d:\d\d/,
  )
  await expectFitsEveryWidth(page)
  await expectAccessible(page)
  await security(page).getByRole('button', { name: 'Encerrar a sessão: Chrome no Android' }).click()
  await expect(toast(page, 'Sessão encerrada')).toBeVisible()
  await expect(devices(page)).toHaveCount(1)
  await expect(security(page).getByRole('list', { name: 'Aparelhos conectados' })).toBeFocused()

  await phone.getByRole('button', { name: 'Enviar link novamente' }).click()
  await phone.waitForURL('**/login')
  await phone.context().close()
})

test('ending all sessions signs out this device and the others', async ({ page, browser, product }) => {
  const ana = await openNewAccount(page)
  const phone = await openOnPhone(browser, product, ana)

  const end = security(page).getByRole('button', { name: 'Encerrar todas as sessões' })
  await expect(end).toHaveAccessibleDescription('Encerrar todas as sessões inclui a deste aparelho.')
  await end.click()
  await page.waitForURL('**/login')
  await expect(toast(page, 'Você saiu de todos os aparelhos')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('uid'))).toBeNull()

  await phone.reload()
  await phone.waitForURL('**/login')
  await phone.context().close()
})

test('a password change shows each error, signs out the other devices, and only the new one works', async ({
  page,
  browser,
  product,
}) => {
  const ana = await openNewAccount(page)
  const phone = await openOnPhone(browser, product, ana)
  const open = security(page).getByRole('button', { name: 'Trocar senha' })
  await open.click()
  const form = dialog(page)
  const field = (name: string) => form.getByLabel(name, { exact: true })
  const send = () => form.getByRole('button', { name: 'Trocar senha' }).click()
  await expect(field('Senha atual')).toBeFocused()
  await expectAccessible(page)

  await send()
  await expect(form.getByText('Por favor, preencha todos os campos').first()).toBeVisible()
  await field('Senha atual').fill('errada1')
  await field('Nova senha').fill('nova')
  await expect(form.getByText('A senha deve ter pelo menos 6 caracteres.')).toBeVisible()
  await field('Nova senha').fill('novasenha')
  await field('Confirmar nova senha').fill('outrasenha')
  await send()
  await expect(form.getByText('As senhas não são iguais.')).toBeVisible()
  await field('Confirmar nova senha').fill('novasenha')
  await send()
  await expect(form.getByText('Senha incorreta')).toBeVisible()
  await expect(field('Senha atual')).toBeFocused()
  await expectAccessible(page)

  await field('Senha atual').fill(ana.password)
  await send()
  await expect(toast(page, 'Senha trocada')).toBeVisible()
  await expect(form).toHaveCount(0)
  await expect(open).toBeFocused()
  await expect(devices(page)).toHaveCount(1)
  await page.reload()
  await expect(devices(page)).toHaveCount(1)

  await phone.reload()
  await phone.waitForURL('**/login')
  await signIn(phone, ana)
  await expect(phone.getByText('Email ou senha inválidos').first()).toBeVisible()
  await signIn(phone, { ...ana, password: 'novasenha' })
  await phone.waitForURL('**/area-usuario')
  await phone.context().close()
})

test('the profile has an editable name, WhatsApp and photo, with initials where no photo loads', async ({
  page,
  pageErrors,
}) => {
  await page.route('https://fotos.exemplo.com/ana.png', (route) =>
    route.fulfill({ contentType: 'image/png', body: PIXEL }),
  )
  await page.route('https://fotos.exemplo.com/nada.png', (route) => route.fulfill({ status: 404, body: '' }))
  await openNewAccount(page)
  const form = dialog(page)
  const edit = () => profile(page).getByRole('button', { name: 'Editar perfil' }).click()
  const save = () => form.getByRole('button', { name: 'Salvar' }).click()
  await edit()
  await expect(form.getByText(FIXED_EMAIL)).toHaveCount(0)
  await expectAccessible(page)

  await form.getByLabel('Nome completo').fill(' ')
  await save()
  await expect(form.getByText('Por favor, preencha todos os campos obrigatórios.')).toBeVisible()
  await form.getByLabel('Nome completo').fill('Ana Clara Lima')
  await form.getByLabel('WhatsApp (opcional)').fill('1198765')
  await save()
  await expect(form.getByText('Digite um número de WhatsApp válido com DDD.')).toBeVisible()
  await form.getByLabel('WhatsApp (opcional)').fill('11987654321')
  await expect(form.getByLabel('WhatsApp (opcional)')).toHaveValue('(11) 98765-4321')
  await form.getByLabel('Endereço da foto (opcional)').fill('http://fotos.exemplo.com/ana.png')
  await save()
  await expect(form.getByText('Use um endereço que comece com https://.')).toBeVisible()
  await form.getByLabel('Endereço da foto (opcional)').fill('https://fotos.exemplo.com/nada.png')
  await expect(form.getByText('Não conseguimos abrir essa imagem.')).toBeVisible()
  await form.getByLabel('Endereço da foto (opcional)').fill('https://fotos.exemplo.com/ana.png')
  await expect(form.getByRole('img', { name: 'Foto de Ana Maria Souza' })).toBeVisible()
  await expectAccessible(page)
  await save()

  await expect(toast(page, 'Perfil atualizado')).toBeVisible()
  await page.reload()
  await expect(profile(page).getByRole('heading', { name: 'Ana Clara Lima' })).toBeVisible()
  await expect(profile(page).getByText('(11) 98765-4321')).toBeVisible()
  await expect(profile(page).getByRole('img', { name: 'Foto de Ana Clara Lima' })).toHaveJSProperty(
    'naturalWidth',
    1,
  )

  // Also after a marketing page, whose content security policy allows no photo.
  await page.goto('/planos')
  await page.getByRole('banner').getByRole('link', { name: 'Minha Conta' }).click()
  await expect(profile(page).getByRole('img', { name: 'Foto de Ana Clara Lima' })).toHaveJSProperty(
    'naturalWidth',
    1,
  )

  await edit()
  await form.getByLabel('WhatsApp (opcional)').fill('')
  await form.getByLabel('Endereço da foto (opcional)').fill('')
  await save()
  await expect(profile(page).getByText('AL', { exact: true })).toBeVisible()
  await expect(profile(page).getByText('Não informado')).toBeVisible()
  pageErrors.expect(/status of 404 .*nada\.png/)
})

isolatedTest(
  'the email is confirmed by its link in one click; the address loses the code, the page its notice',
  async ({ page, product }) => {
    const ana = await openNewAccount(page)
    await expect(profile(page).getByText('Confirme seu email')).toBeVisible()
    await expect(profile(page).getByRole('button', { name: 'Corrigir email' })).toBeVisible()
    await expectFitsEveryWidth(page)
    await waitForMailedLink(product, ana.email, '/confirmar-email', 1)
    await profile(page).getByRole('button', { name: 'Enviar link novamente' }).click()
    await expect(toast(page, 'Link enviado')).toBeVisible()
    const link = await waitForMailedLink(product, ana.email, '/confirmar-email', 2)

    const answer = await page.goto(link)
    expect(answer?.headers()['referrer-policy']).toBe('no-referrer')
    expect(answer?.headers()['x-robots-tag']).toBe('noindex')
    await expect(page.getByRole('heading', { level: 1, name: 'Confirmar email' })).toBeVisible()
    await expect.poll(() => page.url()).toBe(`${product.url}/confirmar-email`)
    await expectFitsEveryWidth(page)
    await expectAccessible(page)
    await page.reload()
    await page.getByRole('button', { name: 'Confirmar meu email' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Email confirmado' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'Ir para Minha Conta' }).click()
    await expect(devices(page)).toHaveCount(1)
    await expect(profile(page).getByText('Confirme seu email')).toHaveCount(0)
    await profile(page).getByRole('button', { name: 'Editar perfil' }).click()
    await expect(dialog(page).getByText(FIXED_EMAIL)).toBeVisible()

    await page.goto(link)
    await page.getByRole('button', { name: 'Confirmar meu email' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Este link não vale mais' })).toBeVisible()
    await expectAccessible(page)
    await page.goto('/confirmar-email')
    await expect(page.getByRole('heading', { level: 1, name: 'Abra o link do email' })).toBeVisible()
  },
)
