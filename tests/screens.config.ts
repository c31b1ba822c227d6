import { defineConfig } from '@playwright/test'
import tests from './playwright.config'

/** The screens of the app as built (`make web`), before services in memory (screens/backend.ts). */
export default defineConfig({ ...tests, testDir: './screens', outputDir: './screens/results' })
