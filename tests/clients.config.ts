import { defineConfig } from '@playwright/test'

/**
 * The payment provider's SDK against one running sandbox. The project `contract` then checks the
 * recorded responses against the SDK's types.
 */
export default defineConfig({
  testDir: './clients/provider',
  outputDir: './clients/provider/results/run',
  globalSetup: './clients/provider/record.ts',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: [['list']],
  projects: [
    { name: 'usage', testIgnore: /contract/ },
    { name: 'contract', testMatch: /contract/, dependencies: ['usage'] },
  ],
})
