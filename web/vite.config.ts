import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { catalogSlices } from './vite/catalog-slices.ts'
import { readableClass, shortClass } from './vite/short-class.ts'
import { buildSite } from './vite/site/build.ts'
import { slimMessages } from './vite/slim-messages.ts'

/** Where `npm run dev` finds the product: start it with `make run` first. */
const product = 'http://127.0.0.1:8080'

/** The frame of every page; what only some pages use stays out. */
const everyPage =
  /node_modules\/(?:react|react-dom|scheduler|use-sync-external-store|wouter)\/|rolldown\/runtime|preload-helper|src\/app\/(?!layout\/footer|moved-head|visit)|src\/api\/(?:call|app-error)\.|src\/(?:lib\/(?:browser-storage|class-names|config|focus|foot|go|location|money|paths|server-clock|static-part|timers|toasts)|attribution\/campaign|session\/session)\.|src\/ui\/(?:button|link|logo|notice|price|redirect|spinner)\.|src\/texts\/(?:brand|meta|site)\.|catalog\.json\?brand/

/** What the marketing pages do: one file for the same reason. Drawings and texts that never change stay HTML. */
const sections =
  /src\/features\/(?:plans\/(?!comparison|coupon-check|kept-offer|plan-comparison|plan-finder|plans-faq|plans-screen|promo|use-promotion|use-end-of-day)|landing\/(?:hero|late-drawings|pains|pause-button|solution-carousel|solutions-section|stores|trial-bar|trial-link)\.)|src\/lib\/(?:rotation|use-rotation|use-settled-scroll)\.|src\/texts\/(?:landing|plans|solution-carousel|stores)\.|src\/ui\/tabs\.|catalog\.json\?cards/

/** What the forms of sign-up, login, recovery and the account share: each file has its name in every page's scripts. */
const forms =
  /src\/(?:ui\/(?:card|chosen-password-field|dialog|field|form|phone-field)|forms\/(?:phone-mask|use-form|validation)|texts\/(?:login|recovery|sign-up)|features\/auth\/(?:after-auth|auth-page|carried-email|use-linked-code|use-way-on))\./

/** What the pages about a payment share. */
const payment =
  /src\/(?:texts\/(?:checkout|results)|ui\/(?:facts|new-tab-link)|api\/(?:checkout|subscription)|lib\/checkout-outcome|attribution\/tracking|purchase\/use-subscription|features\/checkout\/(?:use-is-slow|use-checkout-status))\./

/** What goes along with every page and is loaded once it answers; sign-up and checkout tell of it too. */
const visit =
  /src\/(?:app\/visit|features\/consent\/(?:use-consent|consent|consent-bar)\.|attribution\/(?:consent|steps|touches)\.|texts\/consent\.)/

export default defineConfig(({ command }) => ({
  logLevel: command === 'build' ? 'warn' : 'info',
  plugins: [react(), catalogSlices, slimMessages],
  css: {
    modules: {
      generateScopedName: command === 'build' ? shortClass : readableClass,
    },
  },
  // One configuration and its plugins for both builds: they number the class names together (vite/short-class.ts).
  builder: { sharedConfigBuild: true, sharedPlugins: true, buildApp: buildSite },
  environments: {
    client: { build: { manifest: true } },
    ssr: {
      build: {
        outDir: 'dist-ssr',
        copyPublicDir: false,
        minify: false,
        rolldownOptions: { input: 'src/app/entry-server.tsx' },
      },
    },
  },
  build: {
    target: 'es2022',
    // A kilobyte less on a first visit than Vite's own.
    minify: 'terser',
    terserOptions: {
      module: true,
      ecma: 2020,
      compress: { passes: 6, keep_fargs: false },
      // What is called as the file begins, React first, is compiled while it is parsed, not a second time when called:
      // its first task takes a third of the time.
      format: { wrap_func_args: true },
    },
    modulePreload: {
      polyfill: false,
      // Every page has loaded these before it imports another.
      resolveDependencies: (_, dependencies) =>
        dependencies.filter((file) => !/assets\/(?:site|rolldown-runtime)-/.test(file)),
    },
    // Data URLs would need `data:` in font-src and would swell the inlined CSS.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Each page names its stylesheets (vite/site/styles.ts): a hash alone is shorter.
        assetFileNames: ({ names: [name] }) =>
          `assets/${name?.endsWith('.css') ? '' : '[name]-'}[hash][extname]`,
        // What every page needs is one file: cut into many, the pieces compress 3 KB worse.
        codeSplitting: {
          groups: [
            { name: 'site', test: everyPage },
            { name: 'sections', test: sections },
            // Apart from `visit`, which the promotional pages would load with it.
            { name: 'promo-code', test: /src\/attribution\/promo-code\./ },
            // Before those that use it too: a group takes along what it needs, and a page that is read needs no payment.
            { name: 'visit', test: visit },
            { name: 'forms', test: forms },
            { name: 'payment', test: payment },
          ],
        },
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
    include: ['{src,vite}/**/*.test.ts'],
  },
}))
