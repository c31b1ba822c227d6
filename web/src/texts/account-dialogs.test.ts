import { expect, test } from 'vitest'
import { promotions } from '../gen/catalog.json'
import { deletion } from './account-dialogs'

test('a exclusão nomeia, como o catálogo, o cupom que só vale na primeira assinatura', () => {
  const first = promotions.find(({ coupon_id }) => coupon_id === 'novo10')
  expect(deletion.trial).toContain(`nem o cupom ${first?.coupon_code}, da primeira assinatura,`)
})
