import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import css from '../styles/tokens.css?raw'
import { contrast, parseTokens, resolve, SCHEMES } from './tokens'

// The reads of a part listen to the window's focus.
vi.stubGlobal('addEventListener', () => undefined)
const { Gallery, groups } = await import('./gallery')
const { commentOf } = await import('./parts')
const { PAIRS } = await import('./foundations')
const { Visitor } = await import('./visitor')
const gallery = () => renderToString(createElement(Visitor, null, createElement(Gallery)))
const modules = import.meta.glob<Record<string, unknown>>('../{ui,parts}/*.tsx')

test('every part of src/ui and src/parts is in the gallery, and nothing else', async () => {
  const loaded = await Promise.all(Object.values(modules).map((load) => load()))
  const exported = loaded.flatMap((module) =>
    Object.entries(module).flatMap(([name, part]) => {
      if (typeof part !== 'function') return []
      return name === 'default' ? [part.name] : /^[A-Z]/.test(name) ? [name] : []
    }),
  )
  expect(groups.flatMap(({ parts }) => Object.keys(parts)).sort()).toEqual(exported.sort())
  expect(exported.filter((name) => !commentOf(name))).toEqual([])
})

test('the gallery renders every state of a part once', () => {
  const html = gallery()
  const states = groups.flatMap(({ parts }) =>
    Object.values(parts).flatMap(({ states, dark, wide, page }) =>
      [states, dark, wide, page].flatMap((named = {}) => Object.keys(named)),
    ),
  )
  expect(html.match(/<figure/g)).toHaveLength(states.length)
})

test('tokens belong to the comment above them', () => {
  expect(
    parseTokens(':root { /* Grounds. */ --a: #fff;\n/*\n * Text,\n * large.\n */ --b: var(--a); --c: 1px; }'),
  ).toEqual([
    { about: 'Grounds.', tokens: [{ name: '--a', value: '#fff' }] },
    {
      about: 'Text, large.',
      tokens: [
        { name: '--b', value: 'var(--a)' },
        { name: '--c', value: '1px' },
      ],
    },
  ])
})

test('every semantic token is in the gallery', () => {
  const [, rule = ''] = /\n\.by-day \{\n {2}color-scheme(.*?)\n\}/s.exec(css) ?? []
  const names = parseTokens(rule).flatMap(({ tokens }) => tokens.map(({ name }) => name))
  const html = gallery()
  expect(names).toContain('--surface')
  expect(names.filter((name) => !html.includes(`<code>${name.slice(2)}</code>`))).toEqual([])
})

for (const scheme of SCHEMES)
  test(`every text has a contrast of 4.5 on its ground in the ${scheme} scheme`, () => {
    const low = PAIRS.filter(
      ([text, ground]) => contrast(resolve(text, scheme), resolve(ground, scheme)) < 4.5,
    )
    expect(low).toEqual([])
  })
