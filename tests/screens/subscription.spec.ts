import type { Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { expectFits } from '../browser/accessibility'
import { createSubscriber } from './account'
import { inDays, invoice, monthlyOf } from './messages'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const invoices = (page: Page) => page.getByRole('region', { name: 'Faturas', exact: true })
const dateInDays = (days: number) =>
  new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(
    new Date(Date.now() + days * 86_400_000),
  )

test('in an invoice, a plan that does not fit beside the date stands below it, without a dot', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, monthlyOf('elite_nivel_1'))
  const paid = invoice({ planId: 'elite_nivel_1', createdAt: inDays(0), paidAt: inDays(0) })
  backend.returns(BillingService.method.listInvoices, { invoices: [paid] })
  await page.goto('/area-usuario')
  const row = invoices(page).getByRole('listitem').first()
  /** The position of the first letter of a text. */
  const start = (text: string) =>
    row.getByText(text, { exact: true }).evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const { left, top } = range.getClientRects()[0] ?? new DOMRect()
      return { left: Math.round(left), top: Math.round(top) }
    })
  await expect(row).toContainText('Compra')
  await expect(row).not.toContainText('·')
  const parts = async () => [await start(dateInDays(0)), await start('Elite Nível 1, Mensal')] as const

  await page.setViewportSize({ width: 1280, height: 900 })
  const [date, plan] = await parts()
  expect(plan.top).toBe(date.top)
  expect(plan.left).toBeGreaterThan(date.left)
  await expectFits(page, 320)
  const [above, below] = await parts()
  expect(below.top).toBeGreaterThan(above.top)
  expect([above.left, below.left]).toEqual(Array(2).fill((await start('Compra')).left))
})
