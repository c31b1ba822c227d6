import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { dialog } from '../browser/account-page'
import { createSubscriber } from './account'
import { accountState, monthlyOf, subscription as subscribed } from './messages'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const subscription = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })
test('the summary of each plan counts its other differences, and a loss does not look like a gain', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, monthlyOf('elite_nivel_1'))
  await page.goto('/area-usuario')
  await subscription(page).getByRole('button', { name: 'Fazer Upgrade' }).click()
  const more = '20 grupos de WhatsApp e 20 de Telegram (hoje 10) e mais 5 diferenças'
  await expect(dialog(page).getByText(more, { exact: true })).toBeVisible()
  await dialog(page).getByRole('radio', { name: 'Top Afiliado' }).check()
  await expect(dialog(page).getByText('O que fica menor', { exact: true })).toBeVisible()
  await expect(dialog(page).getByText('Sem monitoramentos', { exact: true })).toBeVisible()
  await expectAccessible(page, 'dialog')
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()

  // A change in both directions shows a gain and a loss.
  backend.state = accountState({ subscription: subscribed(monthlyOf('elite_nivel_6')) })
  await page.reload()
  await subscription(page).getByRole('button', { name: 'Fazer Upgrade' }).click()
  const pro = dialog(page).getByRole('radio', { name: 'Elite PRO 1' })
  await expect(pro).toHaveAccessibleDescription(
    /^10 promotores automáticos \(hoje 8\) e mais \d+ diferenças Só 1 número de WhatsApp \(hoje 3\)$/,
  )
})

test('with another period selected, the present plan states its present period', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, monthlyOf('elite_nivel_1'))
  await page.goto('/area-usuario')
  await subscription(page).getByRole('button', { name: 'Fazer Upgrade' }).click()
  const own = dialog(page).getByRole('radio', { name: /^Elite Nível 1 / })
  await expect(own).toHaveAccessibleName(/^Elite Nível 1 Seu plano R\$\s197,90\/mês$/)
  await dialog(page).getByRole('radio', { name: 'Anual' }).check()
  await expect(own).toHaveAccessibleName(/^Elite Nível 1 Seu plano, hoje mensal R\$\s1\.187,40\/ano$/)
  for (const width of [320, 390, 1280]) await expectFits(page, width)
  await expectAccessible(page, 'dialog')
})
