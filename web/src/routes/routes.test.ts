import { expect, test } from 'vitest'
import { paths } from '../lib/paths'
import { descriptions } from '../texts/descriptions'
import { notFoundPage, routeOf, routes } from './routes'

const files = Object.keys(import.meta.glob('../{site,app}/pages/*.tsx')).map((file) =>
  file.replace(/^.*\/(.*)\.tsx$/, '$1'),
)

test('each route has its page, and each page its route', () => {
  expect(files.toSorted()).toEqual([...routes.map(({ page }) => page), notFoundPage].toSorted())
})

test('no address belongs to two routes', () => {
  const addresses = routes.flatMap(({ path, aliases }) => [path, ...aliases])
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('a route is found by alias and with a trailing slash, query or anchor', () => {
  expect(routeOf('/home')?.path).toBe(paths.home)
  expect(routeOf('/planos/')?.path).toBe(paths.plans)
  expect(routeOf('/selecionar-plano?utm_source=x')?.path).toBe(paths.plans)
  expect(routeOf('/#planos')?.path).toBe(paths.home)
  expect(routeOf('/nada')).toBeNull()
})

test('each path that pages link to has its route', () => {
  expect(routes.map(({ path }) => path).toSorted()).toEqual(Object.values(paths).toSorted())
})

test('each prerendered page has a description and a title of its own', () => {
  const found = routes.filter(({ render }) => render === 'prerendered')
  for (const { path } of found) expect(descriptions[path]?.length).toBeGreaterThan(60)
  expect(new Set(found.map(({ title }) => title)).size).toBe(found.length)
})
