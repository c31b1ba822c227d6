import { describe, expect, test } from 'vitest'
import { product, productIds } from './products'

describe('the products of the examples', () => {
  test.each(productIds)('%s is 30 to 45%% off', (id) => {
    const percent = Number(/^-(\d+)%$/.exec(product(id).off)?.[1])
    expect(percent).toBeGreaterThanOrEqual(30)
    expect(percent).toBeLessThanOrEqual(45)
  })
})
