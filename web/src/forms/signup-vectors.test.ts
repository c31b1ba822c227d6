/** Cases shared with the server's tests: the page must accept what the server accepts. */
import { expect, test } from 'vitest'
import vectors from '../../../tests/vectors/signup.json'
import { phoneDigits } from './phone-mask'
import { checkSignUp } from './validation'

const ana = { name: 'Ana Souza', email: 'ana@exemplo.com', whatsapp: '', password: 'segredo' }

/** Only the server refuses what no mail can reach, too long names and control characters. */
const LEFT_TO_THE_SERVER = /^(too_long|malformed)$/
const LEFT_EMAILS = /^(too_long|unreachable)$/

test.each(vectors.email)('the page accepts the email $input as the server does', ({ input, ...expected }) => {
  const refused = checkSignUp({ ...ana, email: input })?.field === 'email'
  if ('ok' in expected) expect(refused).toBe(false)
  else if (!LEFT_EMAILS.test(expected.error) && !input.includes('\0')) expect(refused).toBe(true)
})

test.each(vectors.phone.filter((each) => 'ok' in each))(
  'the page reads the same digits as the server from the WhatsApp number $input',
  ({ input, ok }) => {
    expect(checkSignUp({ ...ana, whatsapp: input })).toBeNull()
    expect(phoneDigits(input)).toBe(ok ?? '')
  },
)

test.each(vectors.name)('the page accepts the name $input as the server does', ({ input, ...expected }) => {
  const refused = checkSignUp({ ...ana, name: input })?.field === 'name'
  if ('ok' in expected) expect(refused).toBe(false)
  else if (!LEFT_TO_THE_SERVER.test(expected.error)) expect(refused).toBe(true)
})

test.each(vectors.password)(
  'the page accepts the password $input as the server does',
  ({ input, ...expected }) => {
    const refused = checkSignUp({ ...ana, password: input })?.field === 'password'
    expect(refused).toBe(!('ok' in expected))
  },
)
