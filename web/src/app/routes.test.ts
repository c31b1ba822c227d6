import { expect, test } from 'vitest'
import { paths } from '../lib/paths'
import { descriptions } from '../texts/descriptions'
import { notFoundPage, routeOf, routes } from './routes'

const files = Object.keys(import.meta.glob('../pages/*.tsx')).map((file) =>
  file.replace(/^.*\/(.*)\.tsx$/, '$1'),
)

test('cada rota tem a sua página, e cada página a sua rota', () => {
  expect(files.toSorted()).toEqual([...routes.map(({ page }) => page), notFoundPage].toSorted())
})

test('nenhum endereço responde duas telas', () => {
  const addresses = routes.flatMap(({ path, aliases }) => [path, ...aliases])
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('o endereço acha a rota com apelido, barra final, busca ou âncora', () => {
  expect(routeOf('/home')?.path).toBe(paths.home)
  expect(routeOf('/planos/')?.path).toBe(paths.plans)
  expect(routeOf('/selecionar-plano?utm_source=x')?.path).toBe(paths.plans)
  expect(routeOf('/#planos')?.path).toBe(paths.home)
  expect(routeOf('/nada')).toBeNull()
})

test('cada endereço a que as páginas ligam tem a sua rota', () => {
  expect(routes.map(({ path }) => path).toSorted()).toEqual(Object.values(paths).toSorted())
})

test('toda página de busca tem descrição, e título só dela', () => {
  const found = routes.filter(({ render }) => render === 'prerendered')
  for (const { path } of found) expect(descriptions[path]?.length).toBeGreaterThan(60)
  expect(new Set(found.map(({ title }) => title)).size).toBe(found.length)
})
