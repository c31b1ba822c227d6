import { expect, test } from 'vitest'
import { inline } from './inline.ts'

test('a política permite pelo hash exatamente o que está entre as marcas', () => {
  const { tag, hash } = inline('script type="module"', "alert('Hello, world.');")
  expect(tag).toBe(`<script type="module">alert('Hello, world.');</script>`)
  // The example of https://content-security-policy.com/hash/.
  expect(hash).toBe('sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=')
})

test('um conteúdo que encerraria o elemento não entra na página', () => {
  expect(() => inline('style', 'a{}</style>')).toThrow('contains its own end')
})
