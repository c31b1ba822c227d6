import { defineConfig } from '@playwright/test'

/** The payment provider's own SDK against one running sandbox; what it was answered is then held to the SDK's typings. */
export default defineConfig({
  testDir: './clients/provider',
  outputDir: './clients/provider/results/run',
  globalSetup: './clients/provider/record.ts',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: [['list']],
  projects: [
    { name: 'uso', testIgnore: /contrato/ },
    { name: 'contrato', testMatch: /contrato/, dependencies: ['uso'] },
  ],
})
