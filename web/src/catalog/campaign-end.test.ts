import { expect, test } from 'vitest'
import { campaignEnd } from './campaign-end'

test('a campaign ends with its last day, and has no end where its dates do not run it', () => {
  expect(campaignEnd(new Date('2026-11-01T03:00:00Z'))?.toISOString()).toBe('2026-12-01T02:59:59.000Z')
  expect(campaignEnd(new Date('2026-12-01T02:59:58Z'))?.toISOString()).toBe('2026-12-01T02:59:59.000Z')
  expect(campaignEnd(new Date('2026-12-01T03:00:00Z'))).toBeNull()
  expect(campaignEnd(new Date('2026-09-15T12:00:00Z'))).toBeNull()
})
