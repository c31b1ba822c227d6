import { expect, test } from 'vitest'
import { paths } from '../lib/paths'
import { descriptions } from '../texts/descriptions'
import { notFoundPage, routeOf, routes } from './routes'

const files = Object.keys(import.meta.glob('../{site,app}/pages/*.tsx'))

test('each route has its page in its area, and each page its route', () => {
  const pages = [...routes, { area: 'site', page: notFoundPage }]
  expect(files.toSorted()).toEqual(pages.map(({ area, page }) => `../${area}/pages/${page}.tsx`).toSorted())
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
  const found = routes.filter(({ area }) => area === 'site')
  for (const { path } of found) expect(descriptions[path]?.length).toBeGreaterThan(60)
  expect(new Set(found.map(({ title }) => title)).size).toBe(found.length)
})
