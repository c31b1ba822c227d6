import { defineConfig } from '@playwright/test'
import tests from './playwright.config'

/** `make screenshots`: the settings of the browser tests, with the pictures of docs/screens. */
export default defineConfig({ ...tests, testDir: './pictures', workers: 1, timeout: 240_000 })
