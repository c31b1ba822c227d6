import { expect, test } from 'vitest'
import { other_promotion } from '../gen/catalog.json'
import { couponRef, SHARED_COUPON_ID } from './coupon'

test('the partner coupon is that of the catalogue', () => {
  expect(SHARED_COUPON_ID).toBe(other_promotion.coupon_id)
})

test('the partner coupon carries the code of the partner', () => {
  expect(couponRef({ couponId: 'parceiro10', couponCode: 'MARIA' })).toBe('parceiro10:MARIA')
  expect(couponRef({ couponId: 'novo10', couponCode: 'NOVO10' })).toBe('novo10')
  expect(couponRef({ couponId: null, couponCode: 'BF40' })).toBe('BF40')
  expect(couponRef({ couponId: null, couponCode: null })).toBe('')
})
