import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError } from '../../api/app-error'
import { loadScript } from '../../lib/load-script'
import { type AskedChallenge, askedBy, showChallenge } from './challenge-widget'

vi.mock('../../lib/load-script', () => ({ loadScript: vi.fn(() => Promise.resolve()) }))

const asked: AskedChallenge = {
  provider: 'hcaptcha',
  siteKey: 'site',
  scriptUrl: 'https://js.hcaptcha.com/1/api.js',
  because: 'first',
}
const api = { render: vi.fn(() => 'w1'), remove: vi.fn() }
const told = { solve: vi.fn(), expire: vi.fn(), fail: vi.fn() }
const place = (clientWidth: number) => ({ clientWidth }) as HTMLElement

beforeEach(() => vi.stubGlobal('hcaptcha', api))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.clearAllMocks()
})

test('each provider is called by the name of its API, and its widget is removed', async () => {
  const remove = showChallenge(asked, place(340), told)
  await vi.waitFor(() => expect(api.render).toHaveBeenCalled())
  expect(api.render).toHaveBeenCalledWith(expect.anything(), {
    sitekey: 'site',
    size: 'normal',
    callback: told.solve,
    'expired-callback': told.expire,
    'error-callback': told.fail,
  })
  remove()
  expect(api.remove).toHaveBeenCalledWith('w1')
  expect(told.fail).not.toHaveBeenCalled()
})

test('in a narrow place the widget is compact', async () => {
  showChallenge(asked, place(280), told)
  await vi.waitFor(() => expect(api.render).toHaveBeenCalled())
  expect(api.render).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ size: 'compact' }))
})

test('a script that does not come or lacks the API is a failure', async () => {
  vi.mocked(loadScript).mockRejectedValueOnce(new Error('blocked'))
  showChallenge(asked, place(340), told)
  await vi.waitFor(() => expect(told.fail).toHaveBeenCalledTimes(1))
  showChallenge({ ...asked, provider: 'turnstile' }, place(340), told)
  await vi.waitFor(() => expect(told.fail).toHaveBeenCalledTimes(2))
})

test('a challenge that was removed before its script came is not shown', async () => {
  const script = Promise.resolve()
  vi.mocked(loadScript).mockReturnValueOnce(script)
  showChallenge(asked, place(340), told)()
  await script
  expect(api.render).not.toHaveBeenCalled()
})

test('only CHALLENGE_REQUIRED asks for a challenge, and a used response is reported as refused', () => {
  const metadata = { provider: 'hcaptcha', site_key: 'site', script_url: asked.scriptUrl }
  const required = new AppError('CHALLENGE_REQUIRED', { metadata })
  expect(askedBy(required, '')).toEqual(asked)
  expect(askedBy(required, 'used')).toEqual({ ...asked, because: 'refused' })
  expect(askedBy(new AppError('EMAIL_IN_USE'), '')).toBeNull()
  expect(askedBy(new TypeError(), '')).toBeNull()
})
