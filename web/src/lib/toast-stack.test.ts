import { expect, test } from 'vitest'
import { stack } from './toast-stack'

test('a nova recusa de um formulário substitui a anterior', () => {
  const first = stack([], { title: 'Digite um email válido.', about: 'form' })
  expect(stack(first, { title: 'Email ou senha inválidos', about: 'form' })).toEqual([
    { title: 'Email ou senha inválidos', about: 'form' },
  ])
})

test('há um aviso por vez, o mais novo', () => {
  const titles = ['um', 'dois']
  const shown = titles.reduce<readonly { title: string }[]>((all, title) => stack(all, { title }), [])
  expect(shown.map(({ title }) => title)).toEqual(['dois'])
})

test('a mesma mensagem aparece uma vez só', () => {
  expect(stack([{ title: 'Código copiado' }], { title: 'Código copiado' })).toHaveLength(1)
})
