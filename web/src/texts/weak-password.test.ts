import { expect, test } from 'vitest'
import type { Metadata } from '../api/app-error'
import { passwordChangeError } from './account-dialogs'
import { resetError } from './recovery'
import { signUpError } from './sign-up'

const six = 'A senha deve ter pelo menos 6 caracteres.'

test.each<[Metadata, string]>([
  [{}, six],
  [{ minimum: '6' }, six],
  [{ minimum: '12' }, 'A senha deve ter pelo menos 12 caracteres.'],
  [{ refused: 'true' }, 'Esta senha é fácil de adivinhar. Escolha outra.'],
])('a password refused with %j is explained at sign-up, recovery and change', (metadata, text) => {
  expect(signUpError('WEAK_PASSWORD', metadata)).toEqual({ text, field: 'password' })
  expect(resetError('WEAK_PASSWORD', metadata)).toEqual({ text, weak: true })
  expect(passwordChangeError('WEAK_PASSWORD', metadata)).toEqual({ text, field: 'password' })
})

test('an error that is not about the password is not shown at its field', () => {
  expect(resetError('TOO_MANY_REQUESTS', {})).toEqual({
    text: 'Muitas tentativas. Tente novamente mais tarde',
    weak: false,
  })
  expect(resetError('INTERNAL', {})).toEqual({
    text: 'Não foi possível redefinir a senha. Tente novamente.',
    weak: false,
  })
  expect(resetError('RESET_CODE_EXPIRED', {})).toEqual({ dead: 'expired' })
})
