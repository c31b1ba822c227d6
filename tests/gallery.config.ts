import { defineConfig } from '@playwright/test'
import tests from './playwright.config'

const url = 'http://127.0.0.1:20174'

/** The gallery of the parts (web/gallery.html), built alone and served without the product. */
export default defineConfig({
  ...tests,
  testDir: './gallery',
  outputDir: './gallery/results',
  timeout: 240_000,
  projects: [
    { name: 'checks', testMatch: 'gallery.spec.ts' },
    { name: 'pictures', testMatch: 'pictures.spec.ts' },
  ],
  use: { ...tests.use, baseURL: url, contextOptions: { reducedMotion: 'reduce' } },
  webServer: {
    command: [
      'npx vite build --config vite.gallery.config.ts',
      'npx vite preview --config vite.gallery.config.ts --host 127.0.0.1 --port 20174 --strictPort',
    ].join(' && '),
    env: { NODE_ENV: 'development' },
    cwd: '../web',
    timeout: 180_000,
    url: `${url}/gallery.html`,
  },
})
