/** The fixtures of the tests of a screen: the built site before a backend in memory. */
import { expect } from '@playwright/test'
import { test as pageTest } from '../browser/page-test'
import { implementDefaults } from './account'
import { Backend } from './backend'

export { expect }

export const test = pageTest.extend<{ backend: Backend }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner asks for an object pattern
  backend: async ({}, use) => {
    const backend = await Backend.start()
    implementDefaults(backend)
    await use(backend)
    backend.stop()
    expect(backend.unexpected, 'calls without an implementation').toEqual([])
  },
  baseURL: async ({ backend }, use) => use(backend.url),
})
