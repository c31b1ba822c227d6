import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { readableClass, shortClass } from './vite/short-class.ts'
import { buildSite, LICENCES } from './vite/site/build.ts'

/** Where `npm run dev` finds the product: start it with `make run` first. */
const product = 'http://127.0.0.1:8080'

/** A file of its own: it stays in the browser's cache when a release changes ours. */
const library = /node_modules\/(?:react|react-dom|scheduler|use-sync-external-store)\//

/** The frame of every page; what only some pages use stays out. */
const everyPage =
  /node_modules\/wouter\/|preload-helper|src\/(?:app\/(?!moved-head|visit|pages)|site\/(?!pages)|frame\/|routes\/)|src\/api\/(?:call|app-error)\.|src\/(?:lib\/(?:after-paint|browser-storage|class-names|config|focus|foot|go|location|money|paths|server-clock|timers|toasts|use-stored)|attribution\/campaign|session\/session)\.|src\/ui\/(?:button|line-icon|link|logo|notice|price|redirect|spinner)\.|src\/texts\/(?:brand|meta|site)\./

/**
 * What the marketing pages do: one file for the same reason. Drawings and texts that never change
 * stay HTML.
 */
const sections =
  /src\/features\/(?:plans\/(?!cleared-choice|comparison|coupon-check|kept-offer|open-payment-note|plan-comparison|plan-finder|plans-faq|plans-screen|promo|quiet-note|use-promotion|use-end-of-day)|landing\/(?:hero|pains|pause-button|solution-carousel|solutions-section|stores|trial-bar|trial-link)\.)|src\/lib\/(?:rotation|use-rotation|use-settled-scroll)\.|src\/texts\/(?:landing|plans|solution-carousel|stores)\.|src\/ui\/tabs\./

/** Cards and dialogs, before the groups that would take them along. */
const basics = /src\/ui\/(?:card|dialog|failure)\./

/**
 * What the forms of the account share with those of sign-up, login and recovery, and what those
 * share.
 */
const forms = /src\/(?:ui\/(?:chosen-password-field|field|form|phone-field)|forms\/(?:use-form|validation))\./
const auth =
  /src\/(?:texts\/(?:recovery|sign-up)|features\/auth\/(?:after-auth|auth-page|carried-email|use-linked-code|use-way-on))\./

/** The calls: the messages and what sends them. The first call of a page loads it. */
const rpc = /node_modules\/@bufbuild\/|src\/(?:gen\/.*_pb|api\/(?:clients|grpc-web|error-reason))\./

/**
 * The coupon of an account. Login and sign-up store it too, and need nothing else of a purchase.
 */
const coupon =
  /src\/(?:purchase\/(?:account-promotion|forget-promo-code|remove-promo-code)|texts\/kept-coupon)\./

/**
 * What the account and the pages about a purchase share: one file, because small ones compress
 * badly.
 */
const payment =
  /node_modules\/@tanstack\/(?!.*(?:infiniteQueryO|useInfinite|mutationO|useMutation))|src\/(?:api\/(?:checkout|query-client|subscription)|lib\/checkout-outcome|purchase\/(?!in-campaign|portal)[\w-]+|texts\/(?:boleto-days|campaign|kept-coupon|new-tab)|ui\/(?:facts|kept-coupon|new-tab-link)|features\/checkout\/(?:use-is-slow|use-checkout-status)|features\/trial\/use-trial)\./

/** What the checkout shares with the confirmation of a payment and with the return page. */
const checkoutParts =
  /node_modules\/@stripe\/|src\/(?:texts\/checkout|features\/checkout\/(?:checkout-card|stripe|checkout\.module))\./

/** Management of a subscription, from the account, the offers and the checkout. */
const manage =
  /src\/(?:features\/account\/subscription\/manage-plan|purchase\/portal|texts\/(?:intervals|portal))\./

/**
 * What goes along with every page and is loaded once it answers; sign-up and checkout tell of it
 * too.
 */
const visit =
  /src\/(?:app\/visit|features\/consent\/(?:use-consent|consent)\.|attribution\/(?:consent|steps|touches)\.|texts\/consent\.)/

export default defineConfig(({ command }) => ({
  logLevel: command === 'build' ? 'warn' : 'info',
  plugins: [react()],
  css: {
    modules: {
      generateScopedName: command === 'build' ? shortClass : readableClass,
    },
  },
  // One configuration and its plugins for both builds: they number the class names together
  // (vite/short-class.ts).
  builder: { sharedConfigBuild: true, sharedPlugins: true, buildApp: buildSite },
  environments: {
    client: { build: { manifest: true, license: { fileName: LICENCES } } },
    ssr: {
      build: {
        outDir: 'dist-ssr',
        copyPublicDir: false,
        minify: false,
        rolldownOptions: { input: 'src/site/entry-server.tsx' },
      },
    },
  },
  build: {
    // README.md names them to operators, public/old-browser.js tests for them.
    target: ['safari15.4', 'chrome94', 'edge94', 'firefox98'],
    modulePreload: {
      polyfill: false,
      // Every page has loaded these before it imports another.
      resolveDependencies: (_, dependencies, { hostType }) =>
        hostType === 'html'
          ? dependencies
          : dependencies.filter((file) => !/assets\/(?:react|site|rolldown-runtime)-/.test(file)),
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
            { name: 'react', test: library },
            { name: 'site', test: everyPage },
            // A group takes along what its files import. What several groups need comes before
            // them: otherwise a code would load the sections or `visit`, and a phone number the
            // forms.
            { name: 'promo-code', test: /src\/attribution\/promo-code\./ },
            { name: 'phone-mask', test: /src\/forms\/phone-mask\./ },
            { name: 'rpc', test: rpc },
            { name: 'sections', test: sections },
            { name: 'visit', test: visit },
            { name: 'basics', test: basics },
            { name: 'auth', test: auth },
            { name: 'forms', test: forms },
            { name: 'coupon', test: coupon },
            { name: 'payment', test: payment },
            { name: 'manage', test: manage },
            { name: 'paying', test: checkoutParts },
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
