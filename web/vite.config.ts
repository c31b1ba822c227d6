import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

/** Where `npm run dev` finds the product: start it with `make run` first. */
const product = 'http://127.0.0.1:8080'

export default defineConfig({
  plugins: [react()],
  build: {
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Data URLs would need `data:` in font-src and would swell the inlined CSS.
    assetsInlineLimit: 0,
    // One stylesheet: prerendered pages inline it, so one sha256 in style-src covers them all.
    cssCodeSplit: false,
  },
  server: {
    port: 20_173,
    proxy: Object.fromEntries(
      [
        '/garimpo.',
        '/api',
        '/config.json',
        '/session-status',
        '/create-embedded-checkout-session',
        '/meta-capi',
      ].map((prefix) => [prefix, { target: product, changeOrigin: true }]),
    ),
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts'],
  },
})
