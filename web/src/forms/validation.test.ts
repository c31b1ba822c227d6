import { expect, test } from 'vitest'
import { AppError } from '../api/app-error'
import { checkLogin, checkNewPassword, checkSignUp, learnPasswordRules, passwordHint } from './validation'

const ana = { name: 'Ana Souza', email: 'ana@exemplo.com', whatsapp: '', password: 'segredo' }

test('a complete sign-up is valid, with or without WhatsApp', () => {
  expect(checkSignUp(ana)).toBeNull()
  expect(checkSignUp({ ...ana, whatsapp: '(11) 98765-4321' })).toBeNull()
  expect(checkSignUp({ ...ana, whatsapp: '1133334444' })).toBeNull()
})

test('name, email and password are required', () => {
  expect(checkSignUp({ ...ana, name: '  ', password: '' })).toEqual({
    message: 'Por favor, preencha todos os campos obrigatórios.',
    field: 'name',
    marked: ['name', 'password'],
    kind: 'required',
  })
})

test('each rule has its message', () => {
  const message = (change: Partial<typeof ana>) => checkSignUp({ ...ana, ...change })?.message
  expect(message({ email: 'ana@exemplo' })).toBe('Digite um email válido.')
  expect(message({ whatsapp: '119876543' })).toBe('Digite um número de WhatsApp válido com DDD.')
  expect(message({ password: '12345' })).toBe('A senha deve ter pelo menos 6 caracteres.')
})

test('the sign-up shows the errors of all fields at once', () => {
  const wrong = checkSignUp({ name: '', email: 'ana@exemplo', whatsapp: '119', password: '12345' })
  expect(wrong).toMatchObject({ field: 'name', marked: ['name'] })
  expect(wrong?.others?.map(({ field, message }) => [field, message])).toEqual([
    ['email', 'Digite um email válido.'],
    ['whatsapp', 'Digite um número de WhatsApp válido com DDD.'],
    ['password', 'A senha deve ter pelo menos 6 caracteres.'],
  ])
})

test('the password hint appears at 1 to 5 characters', () => {
  expect(passwordHint('')).toBeNull()
  expect(passwordHint('1')).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(passwordHint('12345')).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(passwordHint('123456')).toBeNull()
})

test('a password has at most 128 characters, counted as on the server', () => {
  const long = 'A senha pode ter no máximo 128 caracteres.'
  for (const letter of ['a', 'e\u0301', '😀']) {
    const most = letter.repeat(128)
    expect(passwordHint(most)).toBeNull()
    expect(checkSignUp({ ...ana, password: most })).toBeNull()
    expect(checkNewPassword({ password: most, repeated: most })).toBeNull()

    const more = most + letter
    expect(passwordHint(more)).toBe(long)
    const refused = { message: long, field: 'password', marked: ['password'] }
    expect(checkSignUp({ ...ana, password: more })).toEqual(refused)
    expect(checkNewPassword({ password: more, repeated: more })).toEqual(refused)
  }
})

test('the sign-in requires email and password', () => {
  expect(checkLogin({ email: 'ana@exemplo.com', password: '' })).toEqual({
    message: 'Por favor, preencha todos os campos',
    field: 'password',
    marked: ['password'],
    kind: 'required',
  })
  expect(checkLogin({ email: 'ana@exemplo.com', password: 'x' })).toBeNull()
})

test('the new password must be typed twice in the same way', () => {
  const check = (password: string, repeated: string) => checkNewPassword({ password, repeated })
  expect(check('', '')).toEqual({
    message: 'Por favor, preencha todos os campos',
    field: 'password',
    marked: ['password', 'repeated'],
    kind: 'required',
  })
  expect(check('segredo', '')?.field).toBe('repeated')
  expect(check('12345', '12345')?.message).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(check('segredo', 'segred0')).toEqual({
    message: 'As senhas não são iguais.',
    field: 'repeated',
    marked: ['repeated', 'password'],
  })
  expect(check('segredo', 'segredo')).toBeNull()
})

// This test is the last, because a learnt minimum stays for the life of the page.
test('a longer minimum from the server applies from then on, and no other value does', () => {
  const long = 'A senha deve ter pelo menos 10 caracteres.'
  for (const other of [
    new Error('x'),
    new AppError('INTERNAL', { metadata: { minimum: '10' } }),
    new AppError('WEAK_PASSWORD'),
    new AppError('WEAK_PASSWORD', { metadata: { minimum: '4' } }),
    new AppError('WEAK_PASSWORD', { metadata: { minimum: 'dez' } }),
  ])
    learnPasswordRules(other)
  expect(passwordHint('12345')).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(passwordHint('123456')).toBeNull()

  const refused = new AppError('WEAK_PASSWORD', { metadata: { minimum: '10' } })
  expect(learnPasswordRules(refused)).toEqual({ minimum: '10' })
  expect(passwordHint('123456789')).toBe(long)
  expect(passwordHint('1234567890')).toBeNull()
  expect(checkSignUp({ ...ana, password: '123456789' })?.message).toBe(long)
  expect(checkNewPassword({ password: '123456789', repeated: '123456789' })?.message).toBe(long)
})
