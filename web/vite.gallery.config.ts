import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { readableClass } from './vite/short-class.ts'

/**
 * Builds the gallery alone for its tests (tests/gallery.config.ts), because each of its frames
 * would load every module from the development server. React is the development build, because that
 * reports errors of its use.
 */
export default defineConfig({
  logLevel: 'warn',
  mode: 'development',
  plugins: [react()],
  css: { modules: { generateScopedName: readableClass } },
  build: {
    outDir: 'node_modules/.vite/gallery',
    minify: false,
    rolldownOptions: { input: 'gallery.html' },
  },
})
