import { defineConfig } from '@playwright/test'

/** All pages and a purchase in Firefox and WebKit, which Playwright does not drive. No retries. */
export default defineConfig<{ name: 'firefox' | 'webkit' }>({
  testDir: './engines',
  outputDir: './engines/results',
  workers: 1,
  retries: 0,
  timeout: 240_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  projects: [
    { name: 'firefox', use: { name: 'firefox' } },
    { name: 'webkit', use: { name: 'webkit' } },
  ],
})
