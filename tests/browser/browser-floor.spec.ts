/** The oldest browsers in which the pages work (README.md, 'Browsers'). */
import { payByCard } from './payment-frame'
import {
  createAccount,
  expect,
  newPerson,
  signIn,
  signUp,
  takeOffer,
  test,
  waitForMailedLink,
} from './product'

/** Functions that Safari 15.4 or Chrome 94 lacks. */
const LATER_FUNCTIONS = [
  'AbortSignal.any',
  'AbortSignal.timeout',
  'AbortSignal.prototype.throwIfAborted',
  'Array.fromAsync',
  ...['findLast', 'findLastIndex', 'toReversed', 'toSorted', 'toSpliced', 'with'].map(
    (name) => `Array.prototype.${name}`,
  ),
  'CSSStyleSheet.prototype.replaceSync',
  'Document.prototype.startViewTransition',
  ...['checkVisibility', 'getHTML', 'moveBefore', 'setHTMLUnsafe'].map((name) => `Element.prototype.${name}`),
  ...['hidePopover', 'showPopover', 'togglePopover'].map((name) => `HTMLElement.prototype.${name}`),
  ...[
    'drop',
    'every',
    'filter',
    'find',
    'flatMap',
    'forEach',
    'map',
    'reduce',
    'some',
    'take',
    'toArray',
  ].map((name) => `Iterator.prototype.${name}`),
  'Iterator.from',
  'Map.groupBy',
  'Object.groupBy',
  'Promise.try',
  'Promise.withResolvers',
  'RegExp.escape',
  'Response.prototype.bytes',
  ...[
    'difference',
    'intersection',
    'isDisjointFrom',
    'isSubsetOf',
    'isSupersetOf',
    'symmetricDifference',
    'union',
  ].map((name) => `Set.prototype.${name}`),
  ...['isWellFormed', 'toWellFormed'].map((name) => `String.prototype.${name}`),
  ...['fromBase64', 'fromHex'].map((name) => `Uint8Array.${name}`),
  'URL.canParse',
  'URL.parse',
  ...[
    'CloseWatcher',
    'CompressionStream',
    'DecompressionStream',
    'OffscreenCanvas',
    'cookieStore',
    'navigation',
  ],
  ...['reportError', 'requestIdleCallback', 'scheduler', 'structuredClone'],
]

/**
 * Removes newer functions from the page. A newer selector throws a SyntaxError, as in an old
 * browser.
 */
function removeFunctions(functions: string[]) {
  for (const path of functions) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const owner = names.reduce<Record<string, never> | undefined>(
      (object, name) => object?.[name],
      window as never,
    )
    if (owner) delete owner[last]
  }
  for (const { prototype } of [Document, Element]) {
    for (const name of ['closest', 'matches', 'querySelector', 'querySelectorAll']) {
      const methods = prototype as unknown as Record<string, (selector: string) => unknown>
      const original = methods[name]
      if (!original) continue
      methods[name] = function (selector) {
        if (/:(modal|popover-open|open|has\()/.test(selector)) throw new SyntaxError(selector)
        return original.call(this, selector)
      }
    }
  }
}

test('a browser as old as the floor signs up, buys, logs in and recovers a password', async ({
  page,
  context,
  product,
}) => {
  await context.addInitScript(removeFunctions, LATER_FUNCTIONS)
  const scripts = new Set<string>()
  context.on('request', (request) => /assets\/.*\.js$/.test(request.url()) && scripts.add(request.url()))
  const ana = newPerson()

  await page.goto('/planos')
  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: /Testar grátis/ })
    .click()
  await page.waitForURL('**/cadastro')
  await signUp(page, ana)
  await page.waitForURL('**/upsell')
  const tab = await takeOffer(page, 'Anual')
  await payByCard(tab, '4242424242424242')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()

  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Sair' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  await page.goto('/login')
  await signIn(page, ana)
  await page.waitForURL('**/area-usuario')

  await page.goto('/esqueci-senha')
  await page.getByLabel('Email', { exact: true }).fill(ana.email)
  await page.getByRole('button', { name: 'Enviar Email de Recuperação' }).click()
  await expect(page.getByText('um email com as instruções')).toBeVisible()
  await page.goto(await waitForMailedLink(product, ana.email, '/redefinir-senha', 1))
  await page.getByLabel('Nova senha', { exact: true }).fill('nova-senha')
  await page.getByLabel('Confirmar nova senha', { exact: true }).fill('nova-senha')
  await page.getByRole('button', { name: 'Redefinir senha' }).click()
  await page.waitForURL('**/login')
  await signIn(page, { ...ana, password: 'nova-senha' })
  await page.waitForURL('**/area-usuario')

  // Safari before 16.4 does not read a file with a lookbehind.
  expect(scripts.size).toBeGreaterThan(5)
  for (const script of scripts)
    expect(await (await page.request.get(script)).text(), script).not.toMatch(/\(\?<[=!]/)
})

test('a photo of the profile is checked in a browser as old as the floor', async ({ page, context }) => {
  await context.addInitScript(removeFunctions, LATER_FUNCTIONS)
  await createAccount(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Editar perfil' }).click()
  const photo = page.getByRole('dialog').getByLabel(/foto/i)
  await photo.fill('foto')
  await page.getByRole('dialog').getByRole('button', { name: 'Salvar' }).click()
  await expect(photo).toHaveAttribute('aria-invalid', 'true')
})
