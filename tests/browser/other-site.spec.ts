import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAccount, expect, newPerson, signIn, signUp, test } from './product'

let server: Server
let port: number

test.beforeAll(async () => {
  server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>outro</title>'),
  )
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = (server.address() as AddressInfo).port
})
test.afterAll(() => server.close())

/** Another site, which receives none of our cookies, and another port of our host, which does. */
for (const host of ['localhost', '127.0.0.1'])
  test(`a page of another origin (${host}) cannot sign out, sign in or save for a user of our site`, async ({
    page,
    product,
    pageErrors,
  }) => {
    const ana = newPerson()
    await page.goto('/cadastro')
    await signUp(page, ana)
    await page.waitForURL('**/account-confirmation')

    const other = await page.context().newPage()
    await other.goto(`http://${host}:${port}/`)
    const read = await other.evaluate(async (url) => {
      const attacks: [string, string, BodyInit][] = [
        ['/api/auth/clear-cookie', 'text/plain', '{}'],
        ['/api/auth/clear-cookie', 'application/json', '{}'],
        ['/api/auth/set-cookie', 'text/plain', '{"uid":"usr_x","email":"x@exemplo.com.br"}'],
        [
          '/api/users',
          'application/json',
          '{"uid":"usr_x","email":"x@exemplo.com.br","displayName":"Outra"}',
        ],
        ['/garimpo.auth.v1.AuthService/SignOut', 'text/plain', new Uint8Array(5)],
        ['/garimpo.auth.v1.AuthService/SignOut', 'application/grpc-web+proto', new Uint8Array(5)],
        ['/garimpo.auth.v1.AuthService/RevokeSession', 'application/grpc-web+proto', new Uint8Array(5)],
      ]
      const answers: string[] = []
      for (const [path, type, body] of attacks)
        for (const mode of ['cors', 'no-cors'] as const)
          answers.push(
            await fetch(url + path, {
              method: 'POST',
              mode,
              credentials: 'include',
              headers: { 'content-type': type },
              body,
            }).then(
              async (answer) => `${answer.type} ${await answer.text()}`,
              () => 'blocked',
            ),
          )
      return answers
    }, product.url)
    // No response can be read, whatever was sent.
    expect(new Set(read)).toEqual(new Set(['blocked', 'opaque ']))

    for (const path of ['/api/auth/clear-cookie', '/garimpo.auth.v1.AuthService/SignOut']) {
      await other.goto(`http://${host}:${port}/`)
      await other.evaluate((action) => {
        const form = Object.assign(document.createElement('form'), {
          method: 'post',
          enctype: 'text/plain',
          action,
        })
        document.body.append(form)
        form.submit()
      }, product.url + path)
      await other.waitForURL(`${product.url}${path}`)
    }

    const session = await page.evaluate(() => fetch('/api/auth/check-cookie').then((answer) => answer.json()))
    expect(session).toMatchObject({ authenticated: true, user: { email: ana.email, displayName: ana.name } })
    pageErrors.expect(/blocked by CORS policy/, /ERR_FAILED/, /status of 4\d\d/)
  })

test('no page of ours can be framed by another site', async ({ page, product, pageErrors }) => {
  await page.goto(`http://localhost:${port}/`)
  for (const path of ['/', '/login', '/area-usuario', '/checkout']) {
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await page.evaluate(
      (src) => document.body.append(Object.assign(document.createElement('iframe'), { src })),
      product.url + path,
    )
    await refused
  }
  pageErrors.expect(/frame-ancestors/)
})

test('the stored return address never leads to another site, before or after the sign-in', async ({
  page,
}) => {
  const ana = newPerson()
  await createAccount(page, ana)
  const elsewhere = [
    `http://localhost:${port}/`,
    `//localhost:${port}/`,
    `/\\localhost:${port}/`,
    `\t//localhost:${port}/`,
    'javascript:document.write(1)',
  ]
  const openLoginWithReturn = async (returnTo: string) => {
    await page.evaluate((address) => localStorage.setItem('loginRedirectUrl', address), returnTo)
    await page.goto('/login')
  }
  const stored = () => page.evaluate(() => localStorage.getItem('loginRedirectUrl'))

  for (const address of elsewhere) {
    await openLoginWithReturn(address)
    await page.waitForURL('**/area-usuario')
    expect(await stored()).toBeNull()
  }
  for (const address of elsewhere) {
    await page.context().clearCookies()
    await openLoginWithReturn(address)
    await signIn(page, ana)
    await page.waitForURL('**/area-usuario')
    expect(await stored()).toBeNull()
  }
  // A path of the site is followed.
  await page.context().clearCookies()
  await openLoginWithReturn('/planos-promo?promo=final')
  await signIn(page, ana)
  await page.waitForURL('**/planos-promo?promo=final')
})
