import { expect, test } from 'vitest'
import { inline } from './inline.ts'

test('the policy allows by hash exactly the content of the element', () => {
  const { tag, hash } = inline('script type="module"', "alert('Hello, world.');")
  expect(tag).toBe(`<script type="module">alert('Hello, world.');</script>`)
  // The example of https://content-security-policy.com/hash/.
  expect(hash).toBe('sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=')
})

test('content that would close the element is refused', () => {
  expect(() => inline('style', 'a{}</style>')).toThrow('contains its own end')
})
