import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

/** Where `npm run dev` finds the product: start it with `make run` first. */
const product = 'http://127.0.0.1:8080'

/**
 * Says that the router's components are made without side effects, so that the ones nobody uses (forms,
 * scroll restoration, prefetching) leave the bundle: 2.5 KB.
 */
const shakeRouter: Plugin = {
  name: 'shake-router',
  transform: {
    filter: { id: /react-router\/dist/ },
    handler: (code) => code.replace(/\bReact\d*\.(?:forwardRef|createContext|memo)\(/g, '/* @__PURE__ */ $&'),
  },
}

export default defineConfig({
  plugins: [react(), shakeRouter],
  resolve: {
    // The package's own entry is its development build, warnings and all: 2 KB that no visitor needs.
    alias: [
      {
        find: /^react-router$/,
        replacement: fileURLToPath(
          new URL('node_modules/react-router/dist/production/index.mjs', import.meta.url),
        ),
      },
    ],
  },
  build: {
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Data URLs would need `data:` in font-src and would swell the inlined CSS.
    assetsInlineLimit: 0,
    // One stylesheet: prerendered pages inline it, so one sha256 in style-src covers them all.
    cssCodeSplit: false,
    rolldownOptions: {
      treeshake: {
        // Lets unused components go whose only trace is `X.displayName = …`; no module of ours writes globals.
        propertyWriteSideEffects: false,
      },
    },
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
