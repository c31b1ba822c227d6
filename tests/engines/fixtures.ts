import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import { Product } from '../browser/product'
import type { Engine } from './engine'
import { ErrorCollector } from './error-collector'
import { Firefox } from './firefox'
import { WebKit } from './webkit'

export { expect }

type Site = { url: string; product: Product; errors: string[] }

export const test = base.extend<{ engine: Engine }, { name: 'firefox' | 'webkit'; site: Site }>({
  name: ['firefox', { option: true, scope: 'worker' }],
  site: [
    async ({ name }, use) => {
      if (name === 'firefox') {
        const product = await Product.start()
        await use({ url: product.url, product, errors: [] })
        return product.stop()
      }
      const collector = new ErrorCollector()
      const url = await collector.start()
      const product = await Product.start({ GARIMPO_PUBLIC_URL: url })
      collector.forwardTo(product.url)
      await use({ url, product, errors: collector.errors })
      product.stop()
      collector.stop()
    },
    { scope: 'worker' },
  ],
  engine: async ({ name, site }, use, info) => {
    site.errors.length = 0
    const paths = execFileSync(join(import.meta.dirname, '../setup/engines.sh'), { encoding: 'utf8' })
    const [firefox = '', webkit = ''] = paths.trim().split(' ')
    const engine = name === 'firefox' ? await Firefox.start(firefox) : await WebKit.start(webkit, site.errors)
    await use(engine)
    if (info.status !== 'passed') writeFileSync(info.outputPath('window.png'), await engine.screenshot())
    await engine.close()
    expect(engine.errors, 'errors of the page').toEqual([])
  },
})
