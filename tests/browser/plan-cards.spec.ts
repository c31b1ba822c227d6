import type { Page } from '@playwright/test'
import { boxOf, expectAccessible } from './accessibility'
import { createAccount, createSubscriber, expect, type Product, productPerTest, test } from './product'

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const features = (page: Page, name: string) =>
  card(page, name).getByRole('list', { name: 'O que vem no plano' }).getByRole('listitem')
/** Shows all lines of each card, of which a phone shows five. */
async function showAllLines(page: Page) {
  for (const line of await page.getByText('Ver tudo', { exact: true }).all()) await line.click()
}
const readWithoutSpaces = async (page: Page, name: string) =>
  (await card(page, name).innerText()).replace(/\s+/g, '')

/** Limits shown on the cards. A row omits limits that equal those of the row before. */
const levels = [
  [
    'Top Afiliado',
    null,
    [
      '1 número de WhatsApp',
      '3 grupos de WhatsApp e 3 de Telegram',
      '1 conta de bot no Telegram',
      '1 fila de envio',
      '2 modelos de post',
    ],
  ],
  [
    'Elite',
    'Nível 1',
    [
      '1 número de WhatsApp',
      '10 grupos de WhatsApp e 10 de Telegram',
      '5 promotores automáticos',
      '2 filas de envio',
      '2 automações de busca com IA',
      '1 monitoramento',
      '1 roteador de envios',
    ],
  ],
  [
    'Elite',
    'Nível 2',
    [
      '20 grupos de WhatsApp e 20 de Telegram',
      '8 promotores automáticos',
      '3 filas de envio',
      '5 automações de busca com IA',
      '3 monitoramentos',
      '2 roteadores de envios',
    ],
  ],
  [
    'Elite',
    'Nível 3',
    [
      '50 grupos de WhatsApp e 50 de Telegram',
      '8 promotores automáticos',
      '3 filas de envio',
      '5 automações de busca com IA',
      '5 monitoramentos',
      '3 roteadores de envios',
    ],
  ],
  [
    'Elite PRO',
    'PRO 1',
    [
      '1 número de WhatsApp',
      'Grupos ilimitados de WhatsApp e Telegram',
      '10 promotores automáticos',
      '5 filas de envio',
      '10 automações de busca com IA',
      '10 monitoramentos',
      '5 roteadores de envios',
      'Gerenciador de grupos',
      'Links de convite únicos',
      'Rastreamento de cliques',
      'Entradas e saídas de membros em tempo real',
      'Painel de resultados',
      'Relatório completo de envios',
      'Visualizações em tempo real',
    ],
  ],
  ['Elite PRO', 'PRO 4', ['4 números de WhatsApp', '10 promotores automáticos']],
] as const

test('each level shows the limits of the catalogue; arrow keys, Home and End move between the tabs', async ({
  page,
}) => {
  await page.goto('/planos')
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  await showAllLines(page)
  for (const [name, tab, lines] of levels) {
    if (tab) await card(page, name).getByRole('tab', { name: tab }).click()
    const shown = await features(page, name).allInnerTexts()
    expect(shown, `${name} ${tab}`).toEqual(expect.arrayContaining([...lines]))
  }

  const tabs = card(page, 'Elite PRO').getByRole('tab')
  for (const [name, names] of [
    ['Elite', ['Nível 1 10 grupos', 'Nível 2 20 grupos', 'Nível 3 50 grupos']],
    [
      'Elite PRO',
      [
        'PRO 1 1 número',
        'PRO 2 2 números',
        'PRO 3 3 números',
        'PRO 4 4 números',
        'PRO 5 5 números',
        'PRO 6 6 números',
      ],
    ],
  ] as const) {
    await expect(card(page, name).getByRole('tab')).toHaveCount(names.length)
    for (const [at, tab] of names.entries())
      await expect(card(page, name).getByRole('tab').nth(at)).toHaveAccessibleName(tab)
  }
  for (const [key, at] of [
    ['ArrowRight', 4],
    ['End', 5],
    ['ArrowRight', 0],
    ['ArrowLeft', 5],
    ['Home', 0],
  ] as const) {
    await page.keyboard.press(key)
    await expect(tabs.nth(at)).toBeFocused()
    await expect(tabs.nth(at)).toHaveAttribute('aria-selected', 'true')
  }
  await expect(card(page, 'Elite PRO').getByRole('heading', { name: 'Elite PRO 1' })).toBeVisible()
})

test('the levels of PRO are a stepper: less and more move the number, the price and the tab', async ({
  page,
}) => {
  await page.goto('/planos')
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  await showAllLines(page)
  const pro = card(page, 'Elite PRO')
  const [less, more] = [pro.locator('button[aria-hidden]').first(), pro.locator('button[aria-hidden]').last()]
  await expect(less).toBeDisabled()
  for (const [number, price] of [
    [2, '447,90'],
    [3, '597,90'],
  ] as const) {
    await more.click()
    await expect(pro.getByRole('tab', { selected: true })).toHaveAccessibleName(
      `PRO ${number} ${number} números`,
    )
    expect(await readWithoutSpaces(page, 'Elite PRO')).toContain(`R$${price}/mês`)
    // Hidden from a screen reader, it must not hold the focus.
    await expect(more).not.toBeFocused()
  }
  await less.click()
  await expect(pro.getByRole('heading', { name: 'Elite PRO 2' })).toBeVisible()
  for (const name of ['Top Afiliado', 'Elite'])
    await expect(card(page, name).locator('button[aria-hidden]')).toHaveCount(0)
  await expect(
    card(page, 'Top Afiliado').getByRole('list', { name: 'O que não vem no plano' }).getByRole('listitem'),
  ).toHaveText(['Sem busca com IA', 'Sem promotor automático', 'Sem monitoramento', 'Sem roteador de envios'])
})

test('on a phone a card shows five lines until the visitor asks for all, and elsewhere all of them', async ({
  page,
}) => {
  await page.goto('/planos')
  const visible = features(page, 'Elite PRO').filter({ visible: true })
  await expect(visible).toHaveCount(5)
  const all = card(page, 'Elite PRO').getByRole('checkbox', { name: 'Ver tudo' })
  await expect(all).toHaveAccessibleDescription('Elite PRO 1')
  await all.focus()
  await page.keyboard.press('Space')
  await expect(visible).toHaveCount(18)
  await expectAccessible(page, '#planos [aria-label="Elite PRO"]')
  await page.keyboard.press('Space')
  await expect(visible).toHaveCount(5)
  await page.setViewportSize({ width: 768, height: 1024 })
  await expect(visible).toHaveCount(18)
})

test('at 768 px no card stands beside a hole, and at 1280 px the buttons stand in one row', async ({
  page,
}) => {
  await page.goto('/planos')
  await page.setViewportSize({ width: 768, height: 1024 })
  const [top, elite, pro] = await Promise.all(
    ['Top Afiliado', 'Elite', 'Elite PRO'].map((name) => boxOf(card(page, name))),
  )
  expect(top?.y).toBe(elite?.y)
  expect(pro?.x).toBe(top?.x)
  expect((pro?.x ?? 0) + (pro?.width ?? 0)).toBeCloseTo((elite?.x ?? 0) + (elite?.width ?? 0), 0)
  await page.setViewportSize({ width: 1280, height: 1000 })
  const buttons = await page.getByRole('button', { name: 'Testar grátis por 7 dias' }).all()
  const tops = await Promise.all(buttons.map(async (button) => (await boxOf(button)).y))
  expect(new Set(tops).size).toBe(1)
})

test('a change of level marks what changed, and nothing else', async ({ page }) => {
  await page.goto('/planos')
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  await showAllLines(page)
  const marked = () => card(page, 'Elite').locator('li[aria-description="Mudou neste nível"]').allInnerTexts()
  expect(await marked()).toEqual([])
  await card(page, 'Elite').getByRole('tab', { name: 'Nível 3' }).click()
  await card(page, 'Elite').getByRole('tab', { name: 'Nível 2' }).click()
  await expect
    .poll(marked)
    .toEqual(['20 grupos de WhatsApp e 20 de Telegram', '3 monitoramentos', '2 roteadores de envios'])
  await expectAccessible(page, '#planos [aria-label="Elite"]')
})

test('the button offers the trial to visitors and a subscription to signed-in users', async ({ page }) => {
  const buttons = () =>
    Promise.all(
      ['Top Afiliado', 'Elite', 'Elite PRO'].map((name) => card(page, name).getByRole('button').innerText()),
    )
  await page.goto('/planos')
  expect(await buttons()).toEqual(Array(3).fill('Testar grátis por 7 dias'))
  for (const [name, plan] of [
    ['Top Afiliado', 'Top Afiliado'],
    ['Elite', 'Elite Nível 1'],
    ['Elite PRO', 'Elite PRO 1'],
  ] as const)
    await expect(card(page, name).getByRole('button')).toHaveAccessibleDescription(plan)
  await createAccount(page)
  await page.goto('/planos')
  await expect.poll(buttons).toEqual(Array(3).fill('Assinar Agora'))
})

const blackNovemberTest = test.extend<{ product: Product }>(productPerTest({ GARIMPO_BLACK_NOVEMBER: 'on' }))

blackNovemberTest(
  'in Black November Elite Nível 1 costs as much as Top Afiliado, and each PRO 100 reais less',
  async ({ page }) => {
    await page.goto('/planos')
    await expect(page.locator('[aria-busy]')).toHaveCount(0)
    expect(await readWithoutSpaces(page, 'Top Afiliado')).toContain('DeR$119,90porR$97,90/mês')
    expect(await readWithoutSpaces(page, 'Elite')).toContain('DeR$197,90porR$97,90no1ºmês*depoisR$197,90/mês')
    // The trial may end after the campaign: the price then no longer applies.
    await expect(card(page, 'Elite')).toContainText('Sem cartão. Preço se assinar até 30/11')
    // A low window shows the buttons without scrolling, above the consent bar (57 px).
    await page.setViewportSize({ width: 1366, height: 768 })
    expect((await boxOf(card(page, 'Elite PRO').getByRole('button'))).bottom).toBeLessThanOrEqual(768 - 57)
    await page.setViewportSize({ width: 390, height: 844 })
    await card(page, 'Elite').getByRole('tab', { name: 'Nível 2' }).click()
    expect(await readWithoutSpaces(page, 'Elite')).toContain('R$217,90/mês')
    const pro = [
      ['PRO 1', '297,90', '197,90'],
      ['PRO 2', '447,90', '347,90'],
      ['PRO 3', '597,90', '497,90'],
      ['PRO 4', '747,90', '647,90'],
      ['PRO 5', '897,90', '797,90'],
      ['PRO 6', '1.047,90', '947,90'],
    ] as const
    for (const [tab, regular, first] of pro) {
      await card(page, 'Elite PRO').getByRole('tab', { name: tab }).click()
      expect(await readWithoutSpaces(page, 'Elite PRO'), tab).toContain(
        `DeR$${regular}porR$${first}no1ºmês*depoisR$${regular}/mês`,
      )
    }
    await expectAccessible(page)

    await card(page, 'Elite').getByRole('tab', { name: 'Nível 1' }).click()
    await card(page, 'Elite').getByRole('button', { name: 'Testar grátis por 7 dias' }).click()
    await page.waitForURL('**/cadastro')
    expect(await page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? '{}'))).toMatchObject(
      { priceRaw: '97.90', couponId: 'blacknovember' },
    )
  },
)

blackNovemberTest(
  'a subscriber sees no cheaper first month, because a plan change does not have it',
  async ({ page, product }) => {
    await createSubscriber(page, product, 'Elite Nível 2')
    for (const [address, lead] of [
      ['/planos', 'Para mudar de plano, escolha outro: você vê o valor antes de confirmar.'],
      ['/promo?promo=blackfriday', 'Para mudar de plano, os preços são estes.'],
    ] as const) {
      await page.goto(address)
      await expect(page.getByText('Seu plano', { exact: true }), address).toBeVisible()
      await expect(page.locator('#planos').getByText('no 1º mês'), address).toHaveCount(0)
      await expect(page.locator('#planos'), address).toContainText(lead)
      expect(await readWithoutSpaces(page, 'Elite PRO'), address).toContain('R$297,90/mês')
    }
    await expectAccessible(page)
  },
)
