import { defineConfig } from '@playwright/test'

/** The way to a paid subscription and every page in Firefox and WebKit, which drivers of their own steer. No retries. */
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
