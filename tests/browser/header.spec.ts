import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { createAccount, expect, test } from './product'

const header = (page: Page) => page.getByRole('banner')
const headerLinks = (page: Page) =>
  header(page).getByRole('navigation', { name: 'Principal' }).getByRole('link')

test('a visitor sees five header links, and the one to the sign-in forgets the chosen plan', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/sobre')
  await expect(headerLinks(page)).toHaveText([
    'Soluções',
    'Planos',
    'Central de Ajuda',
    'Login',
    'Acessar App',
  ])
  // The filled button is reserved for the main action of the page.
  const app = headerLinks(page).filter({ hasText: 'Acessar App' })
  await expect(app).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)')
  await page.evaluate(() => localStorage.setItem('selectedPlan', '{"name":"Elite Nível 2"}'))

  await header(page).getByRole('link', { name: 'Login' }).click()

  await page.waitForURL('**/login')
  expect(await page.evaluate(() => localStorage.getItem('selectedPlan'))).toBeNull()
})

test('a signed-in visitor sees the account link instead of the sign-in link', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await createAccount(page)
  await page.goto('/')
  await expect(headerLinks(page)).toHaveText([
    'Soluções',
    'Planos',
    'Central de Ajuda',
    'Minha Conta',
    'Acessar App',
  ])
  const app = headerLinks(page).filter({ hasText: 'Acessar App' })
  await expect(app).toHaveCSS('background-color', 'rgb(11, 107, 75)')
  await header(page).getByRole('link', { name: 'Minha Conta' }).click()
  await page.waitForURL('**/area-usuario')
})

test('the phone menu exists up to 767 px and not at 768 px', async ({ page }) => {
  await page.goto('/sobre')
  const toggle = header(page).getByRole('button', { name: 'Abrir menu' })
  await page.setViewportSize({ width: 768, height: 800 })
  await expect(toggle).toBeHidden()
  await expect(headerLinks(page)).toHaveCount(5)

  await page.setViewportSize({ width: 767, height: 800 })
  await expect(toggle).toBeVisible()
  await expect(headerLinks(page)).toHaveCount(0)
  await toggle.click()
  await expect(headerLinks(page)).toHaveText([
    'Soluções',
    'Planos',
    'Central de Ajuda',
    'Login',
    'Testar grátis',
    'Acessar App',
  ])
  await page.setViewportSize({ width: 390, height: 844 })
  await expectAccessible(page)

  await page.keyboard.press('Escape')
  await expect(headerLinks(page)).toHaveCount(0)
  await expect(toggle).toBeFocused()

  await toggle.press('Enter')
  await page.keyboard.press('Tab')
  await expect(headerLinks(page).first()).toBeFocused()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/solucoes')
  await expect(headerLinks(page)).toHaveCount(0)

  // The menu closes when the focus leaves it.
  await toggle.press('Enter')
  await expect(headerLinks(page)).toHaveCount(6)
  await headerLinks(page).last().focus()
  await page.keyboard.press('Tab')
  await expect(headerLinks(page)).toHaveCount(0)
})

test('the footer links to each page and shows the company', async ({ page }) => {
  await page.goto('/')
  const footer = page.getByRole('contentinfo')
  await expect(footer.getByRole('link')).toHaveText([
    'Home',
    'Soluções',
    'Planos',
    'Central de Ajuda',
    'Sobre Nós',
    'Termos de Uso',
    'Políticas de Privacidade',
    'Preferências de privacidade',
    'contato@example.com',
    '(00) 00000-0000',
    'TikTok',
    'YouTube',
    'Instagram',
    'Facebook',
  ])
  await expect(footer).toContainText('O app que encontra e divulga ofertas automaticamente')
  await expect(footer).toContainText('CNPJ 00.000.000/0000-00')
  await expect(footer).toContainText('Rua Exemplo, 000, Centro, São Paulo/SP')
  for (const [name, address] of [
    ['Sobre Nós', '/sobre'],
    ['Termos de Uso', '/termos'],
    ['Políticas de Privacidade', '/politicas-de-privacidade'],
    ['Soluções', '/solucoes'],
  ] as const)
    await expect(footer.getByRole('link', { name })).toHaveAttribute('href', address)
})

test('a footer link loads its page', async ({ page, context }) => {
  await page.goto('/termos')
  const footer = page.getByRole('contentinfo')
  await footer.getByRole('link', { name: 'Planos' }).click()
  await expect(page.getByRole('tab', { name: 'Nível 2' }).first()).toBeVisible()
  expect(new URL(page.url()).pathname).toBe('/planos')
  await footer.getByRole('link', { name: 'Sobre Nós' }).click()
  await page.waitForURL('**/sobre')

  // A link opened in a new tab leaves this page unchanged.
  const other = context.waitForEvent('page')
  await footer.getByRole('link', { name: 'Soluções' }).click({ modifiers: ['ControlOrMeta'] })
  await (await other).waitForURL('**/solucoes')
  expect(new URL(page.url()).pathname).toBe('/sobre')
})

test('the solutions page names each feature and the support', async ({ page }) => {
  await page.goto('/solucoes')
  const features = page.getByRole('region', { name: 'Tudo o que vem no app' })
  for (const name of [
    'Busca de promoções com IA',
    'Robô para WhatsApp e Telegram',
    'Catálogo de promoções',
    'Criador de imagens e textos',
    'Vitrine no seu domínio',
    'Promotor Automático',
    'Filas de envio com intervalos',
    'Disparador em massa',
    'Automações de monitoramento',
    'Roteador de envios',
    'Gerenciador de grupos',
    'Links de convite únicos',
    'Rastreamento de cliques',
    'Entradas e saídas de membros',
    'Painel e relatório completo de envios',
    'Agendamento de posts',
    'Análises de desempenho',
    '24/7: dia e noite, todos os dias',
    'Fale com gente',
  ])
    await expect(features.getByText(name, { exact: true })).toBeVisible()
  await expect(features.getByText('Chat dentro do app, WhatsApp e Central de Ajuda.')).toBeVisible()
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
})

test('the sign-up links to the terms that it asks to accept, and going back keeps the plan', async ({
  page,
}) => {
  await page.goto('/planos')
  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: 'Testar grátis por 7 dias' })
    .click()
  await page.waitForURL('**/cadastro')
  await page.getByRole('main').getByRole('link', { name: 'Termos de Uso' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Termos de Uso' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Criar conta' })).toBeVisible()
  await expect(page.getByText('Elite Nível 1', { exact: true })).toBeVisible()
  await expectAccessible(page)
})
