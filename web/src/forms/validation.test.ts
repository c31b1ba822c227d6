import { expect, test } from 'vitest'
import { AppError } from '../api/app-error'
import { checkLogin, checkNewPassword, checkSignUp, learnPasswordRules, passwordHint } from './validation'

const ana = { name: 'Ana Souza', email: 'ana@exemplo.com', whatsapp: '', password: 'segredo' }

test('o cadastro completo passa, com ou sem WhatsApp', () => {
  expect(checkSignUp(ana)).toBeNull()
  expect(checkSignUp({ ...ana, whatsapp: '(11) 98765-4321' })).toBeNull()
  expect(checkSignUp({ ...ana, whatsapp: '1133334444' })).toBeNull()
})

test('nome, email e senha são obrigatórios', () => {
  expect(checkSignUp({ ...ana, name: '  ', password: '' })).toEqual({
    message: 'Por favor, preencha todos os campos obrigatórios.',
    field: 'name',
    marked: ['name', 'password'],
    kind: 'required',
  })
})

test('cada regra tem a sua mensagem', () => {
  const message = (change: Partial<typeof ana>) => checkSignUp({ ...ana, ...change })?.message
  expect(message({ email: 'ana@exemplo' })).toBe('Digite um email válido.')
  expect(message({ whatsapp: '119876543' })).toBe('Digite um número de WhatsApp válido com DDD.')
  expect(message({ password: '12345' })).toBe('A senha deve ter pelo menos 6 caracteres.')
})

test('o cadastro diz de uma vez o que está errado em cada campo', () => {
  const wrong = checkSignUp({ name: '', email: 'ana@exemplo', whatsapp: '119', password: '12345' })
  expect(wrong).toMatchObject({ field: 'name', marked: ['name'] })
  expect(wrong?.others?.map(({ field, message }) => [field, message])).toEqual([
    ['email', 'Digite um email válido.'],
    ['whatsapp', 'Digite um número de WhatsApp válido com DDD.'],
    ['password', 'A senha deve ter pelo menos 6 caracteres.'],
  ])
})

test('o aviso da senha aparece com 1 a 5 caracteres', () => {
  expect(passwordHint('')).toBeNull()
  expect(passwordHint('1')).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(passwordHint('12345')).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(passwordHint('123456')).toBeNull()
})

test('a senha tem no máximo 128 caracteres, contados como o servidor conta', () => {
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

test('o login pede email e senha', () => {
  expect(checkLogin({ email: 'ana@exemplo.com', password: '' })).toEqual({
    message: 'Por favor, preencha todos os campos',
    field: 'password',
    marked: ['password'],
    kind: 'required',
  })
  expect(checkLogin({ email: 'ana@exemplo.com', password: 'x' })).toBeNull()
})

test('a nova senha é digitada duas vezes, igual', () => {
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

// The last one: what is learnt holds as long as the page.
test('a senha mínima maior que o servidor conta vale dali em diante, e nenhuma outra', () => {
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
