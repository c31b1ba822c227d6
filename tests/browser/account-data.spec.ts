/** Data rights: the export of personal data and the deletion of the account. */

import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expectAccessible, expectFitsEveryWidth } from './accessibility'
import { dialog, toast } from './account-page'
import { clients } from './calls'
import {
  createAccount,
  createSubscriber,
  expect,
  type Person,
  type Product,
  productPerTest,
  signIn,
  signUp,
  test,
  waitForMailedLink,
} from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

/** Confirmations of one client beyond 20 an hour wait, so these have a product of their own. */
const isolatedTest = test.extend<{ product: Product }>(productPerTest())

async function openAccount(page: Page): Promise<Person> {
  const who = await createAccount(page)
  await page.goto('/area-usuario')
  await expect(page.getByRole('button', { name: 'Baixar meus dados' })).toBeVisible()
  return who
}

test('the data is downloaded as a JSON file with everything that is stored', async ({ page }) => {
  const ana = await openAccount(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Baixar meus dados' }).click()
  const file = await download

  expect(file.suggestedFilename()).toBe('garimpo-meus-dados.json')
  const data = JSON.parse(readFileSync(await file.path(), 'utf8'))
  expect(Object.keys(data)).toEqual(
    expect.arrayContaining(['account', 'sessions', 'subscriptions', 'invoices', 'audit']),
  )
  expect(JSON.stringify(data.account)).toContain(ana.email)
  await expect(toast(page, 'Seus dados foram baixados')).toBeVisible()
})

test('the deletion of an account shows the losses, needs the password, signs out and has a protocol', async ({
  page,
}) => {
  const ana = await openAccount(page)
  const open = page.getByRole('button', { name: 'Excluir minha conta' })
  await open.click()
  const form = dialog(page)
  await expect(form.getByText('Seu perfil, seus aparelhos e seus dados pessoais são apagados.')).toBeVisible()
  await expect(
    form.getByText(
      'Uma nova conta com este email não tem outro teste grátis, nem cupom de primeira assinatura, nem a garantia.',
    ),
  ).toBeVisible()
  await expect(form.getByText('Sua assinatura')).toHaveCount(0)
  await expectAccessible(page)
  // Focus stays inside.
  for (let step = 0; step < 6; step += 1) {
    await page.keyboard.press('Tab')
    expect(
      await page.evaluate(
        () => document.activeElement === document.body || !!document.activeElement?.closest('dialog'),
      ),
    ).toBe(true)
  }
  await page.keyboard.press('Escape')
  await expect(form).toHaveCount(0)
  await expect(open).toBeFocused()

  await open.click()
  const send = form.getByRole('button', { name: 'Excluir minha conta' })
  await send.click()
  await expect(form.getByText('Por favor, preencha todos os campos').first()).toBeVisible()
  await form.getByLabel('Sua senha').fill('errada1')
  await send.click()
  await expect(form.getByText('Senha incorreta')).toBeVisible()
  await expectAccessible(page)
  await form.getByLabel('Sua senha').fill(ana.password)
  await send.click()

  await page.waitForURL('**/conta-excluida')
  await expect(page.getByRole('heading', { level: 1, name: 'Conta excluída' })).toBeVisible()
  await expect(page.getByRole('definition')).toHaveText(/^\S{6,}$/)
  await expectFitsEveryWidth(page)
  await expectAccessible(page)
  expect(await page.evaluate(() => localStorage.getItem('uid'))).toBeNull()
  await page.reload()
  await expect(page.getByRole('definition')).toHaveText(/^\S{6,}$/)
  await page.goto('/login')
  await signIn(page, ana)
  await expect(page.getByText('Email ou senha inválidos').first()).toBeVisible()
})

isolatedTest(
  'a user with the email of a deleted account reads that its trial was used, without a countdown',
  async ({ page, product }) => {
    const ana = await createAccount(page)
    const link = new URL(await waitForMailedLink(product, ana.email, '/confirmar-email', 1))
    await clients(page).auth.confirmEmail({ code: link.searchParams.get('code') ?? '' })
    await clients(page).users.deleteMyAccount({ password: ana.password })
    await page.evaluate(() => localStorage.removeItem('uid'))
    await page.goto('/cadastro')
    await signUp(page, ana)
    await page.waitForURL('**/account-confirmation')
    await expect(page.getByRole('heading', { level: 1, name: 'Conta criada com sucesso!' })).toBeVisible()
    await expect(
      page.getByText('O teste grátis deste email já foi usado. Escolha um plano para continuar.'),
    ).toBeVisible()
    await expect(page.getByRole('timer')).toHaveCount(0)
    await expect(page.getByRole('progressbar')).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('link', { name: 'Ver planos' })).toBeVisible()
    await expectFitsEveryWidth(page)
    await expectAccessible(page)
    await page.goto('/')
    await expect(
      page.getByRole('main').getByRole('link', { name: 'Escolha como continuar' }).first(),
    ).toBeVisible()
  },
)

test('before the deletion a subscriber reads what is lost and what is refunded', async ({
  page,
  product,
}) => {
  const { who: ana } = await createSubscriber(page, product, 'Elite Nível 2', { interval: 'trimestral' })
  await page.goto('/area-usuario')
  await expect(
    page.getByRole('region', { name: 'Assinatura', exact: true }).getByText('Ativa', { exact: true }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Excluir minha conta' }).click()

  const form = dialog(page)
  await expect(form.getByText('Sua assinatura do Elite Nível 2 termina.')).toBeVisible()
  await expect(
    form.getByText(/O acesso que você já pagou, até \d\d\/\d\d\/\d{4}, acaba junto\./),
  ).toBeVisible()
  await expect(form.getByText(/Devolvemos R\$\s522,96 no seu cartão\./)).toBeVisible()
  await expect(
    form.getByText(
      'Guardamos as faturas sem o seu nome, como a lei pede. O recibo no provedor de pagamento continua com ele.',
    ),
  ).toBeVisible()
  await expectFitsEveryWidth(page)
  await expectAccessible(page)

  await form.getByLabel('Sua senha').fill(ana.password)
  await form.getByRole('button', { name: 'Excluir minha conta' }).click()
  await page.waitForURL('**/conta-excluida')
  await expect(page.getByRole('definition')).toHaveText(/^\S{6,}$/)
})

test('a user with an open boleto reads that the deletion cancels it', async ({ page, product }) => {
  await createSubscriber(page, product, 'Elite Nível 2', { by: 'open boleto' })
  await page.goto('/area-usuario')
  await expect(page.getByRole('region', { name: 'Boleto aguardando pagamento' })).toBeVisible()
  await page.getByRole('button', { name: 'Excluir minha conta' }).click()

  await expect(dialog(page).getByText('O boleto em aberto é cancelado: não pague.')).toBeVisible()
  await expect(dialog(page).getByText('Devolvemos')).toHaveCount(0)
})
