import { expect, test } from 'vitest'
import { meantEmail } from './email-hint'

test.each([
  ['ana@gmial.com', 'ana@gmail.com'],
  ['ana@gmail.co', 'ana@gmail.com'],
  ['ana@gmail.con', 'ana@gmail.com'],
  ['ana@gmail.com.br', 'ana@gmail.com'],
  [' Ana.Souza@GMAL.COM ', 'ana.souza@gmail.com'],
  ['ana@hotmal.com', 'ana@hotmail.com'],
  ['ana@outlok.com', 'ana@outlook.com'],
  ['ana@yaho.com.br', 'ana@yahoo.com.br'],
  ['ana@iclud.com', 'ana@icloud.com'],
  ['ana@uol.com.bt', 'ana@uol.com.br'],
  ['ana@tera.com.br', 'ana@terra.com.br'],
  ['ana@msm.com', 'ana@msn.com'],
])('%s may mean %s', (typed, meant) => expect(meantEmail(typed)).toBe(meant))

test.each([
  'ana@gmail.com',
  'ana@hotmail.com.br',
  'ana@ymail.com',
  'ana@oi.com.br',
  'ana@pop.com.br',
  'ana@exemplo.com.br',
  'ana@gmx.com',
  'ana@',
  'ana',
  'ana@b@gmial.com',
])('%s is as it was meant', (typed) => expect(meantEmail(typed)).toBeNull())
