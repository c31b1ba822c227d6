import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import type * as routeTable from './src/routes/routes.ts'
import { readableClass, shortClass } from './vite/short-class.ts'
import { buildSite, LICENCES } from './vite/site/build.ts'

/** Where `npm run dev` finds the product: start it with `make run` first. */
const product = 'http://127.0.0.1:8080'

/** The areas. One for operators would be a third. gallery.html is for development alone. */
const entries = { site: 'index.html', app: 'app.html' }

/** In development, serves the template of the area that the route table gives to an address. */
const areaTemplates: Plugin = {
  name: 'area-templates',
  apply: 'serve',
  configureServer(server) {
    server.middlewares.use(async (request, _, next) => {
      const { accept } = request.headers
      if (accept?.includes('text/html') && !request.url?.startsWith('/gallery.html')) {
        const table = await server.ssrLoadModule('/src/routes/routes.ts')
        const { routeOf } = table as typeof routeTable
        request.url = `/${entries[routeOf(request.url ?? '/')?.area ?? 'site']}`
      }
      next()
    })
  },
}

export default defineConfig(({ command }) => ({
  logLevel: command === 'build' ? 'warn' : 'info',
  plugins: [react(), areaTemplates],
  css: {
    modules: {
      generateScopedName: command === 'build' ? shortClass : readableClass,
    },
  },
  // One configuration and its plugins for both builds: they number the class names together
  // (vite/short-class.ts).
  builder: { sharedConfigBuild: true, sharedPlugins: true, buildApp: buildSite },
  environments: {
    client: {
      build: {
        manifest: true,
        license: { fileName: LICENCES },
        rolldownOptions: {
          input: entries,
          output: {
            // Each page names its stylesheets (vite/site/inline.ts): a hash alone is shorter.
            assetFileNames: ({ names: [name] }) =>
              `assets/${name?.endsWith('.css') ? '' : '[name]-'}[hash][extname]`,
            codeSplitting: {
              groups: [
                // Before everything else, because the styles of parts change those of elements.
                { name: 'base', test: /src\/styles\// },
                { name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\// },
                // A group takes along what its files import: small files compress badly.
                { name: 'frame', test: /src\/(?:frame|routes)\/(?!visit)/ },
                { name: 'sections', test: /src\/(?:features\/(?:landing|plans)|ui)\//, minShareCount: 4 },
              ],
            },
          },
        },
      },
    },
    ssr: {
      build: {
        outDir: 'dist-ssr',
        copyPublicDir: false,
        minify: false,
        rolldownOptions: { input: 'src/entry-server.tsx', output: { codeSplitting: false } },
      },
    },
  },
  build: {
    // README.md names them to operators, public/old-browser.js tests for them.
    target: ['safari15.4', 'chrome94', 'edge94', 'firefox98'],
    modulePreload: { polyfill: false },
    // Data URLs would need `data:` in font-src and would swell the inlined CSS.
    assetsInlineLimit: 0,
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
    // Others are empty in tests. The gallery reads this one.
    css: { include: /tokens\.css/ },
  },
}))
