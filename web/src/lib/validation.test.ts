import { expect, test } from 'vitest'
import { checkLogin, checkNewPassword, checkSignUp, passwordHint } from './validation'

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
    lack: true,
  })
})

test('cada regra tem a sua mensagem', () => {
  const message = (change: Partial<typeof ana>) => checkSignUp({ ...ana, ...change })?.message
  expect(message({ email: 'ana@exemplo' })).toBe('Digite um email válido.')
  expect(message({ whatsapp: '119876543' })).toBe('Digite um número de WhatsApp válido com DDD.')
  expect(message({ password: '12345' })).toBe('A senha deve ter pelo menos 6 caracteres.')
})

test('o aviso da senha aparece com 1 a 5 caracteres', () => {
  expect(passwordHint('')).toBeNull()
  expect(passwordHint('1')).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(passwordHint('12345')).toBe('A senha deve ter pelo menos 6 caracteres.')
  expect(passwordHint('123456')).toBeNull()
})

test('o login pede email e senha', () => {
  expect(checkLogin({ email: 'ana@exemplo.com', password: '' })).toEqual({
    message: 'Por favor, preencha todos os campos',
    field: 'password',
    marked: ['password'],
    lack: true,
  })
  expect(checkLogin({ email: 'ana@exemplo.com', password: 'x' })).toBeNull()
})

test('a nova senha é digitada duas vezes, igual', () => {
  const check = (password: string, repeated: string) => checkNewPassword({ password, repeated })
  expect(check('', '')).toEqual({
    message: 'Por favor, preencha todos os campos',
    field: 'password',
    marked: ['password', 'repeated'],
    lack: true,
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
