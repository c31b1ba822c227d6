/** Draws each group of the gallery into docs/screens, as a phone and as a desktop show it. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../docs/screens')
/** Width of the window, and the space around a group in its picture. */
const WINDOWS = [
  [390, 16],
  [1280, 32],
] as const

for (const [width, space] of WINDOWS)
  test(`the gallery is drawn at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/gallery.html')
    // The font is shown if it is there at once (styles/font.css).
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    // A frame loads when it comes into view.
    for (const frame of await page.locator('iframe').all()) {
      await frame.scrollIntoViewIfNeeded()
      await expect(
        frame.contentFrame().locator('[open], [popover] > *, main > :is(div, section)').first(),
      ).toBeVisible()
    }
    await page.evaluate(() => document.fonts.ready)
    const packer = await page.context().newPage()
    for (const group of await page.locator('main > section').all()) {
      const name = await group.getAttribute('id')
      const box = await group.evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return { x, y: y + scrollY, width, height }
      })
      const clip = { x: box.x - space, y: box.y, width: box.width + 2 * space, height: box.height + space }
      const shot = (await page.screenshot({ fullPage: true, clip })).toString('base64')
      // Chromium encodes it, because Playwright writes no WebP.
      const packed = await packer.evaluate(async (shot) => {
        const image = new Image()
        image.src = `data:image/png;base64,${shot}`
        await image.decode()
        const canvas = document.createElement('canvas')
        canvas.width = image.naturalWidth
        canvas.height = image.naturalHeight
        canvas.getContext('2d')?.drawImage(image, 0, 0)
        return canvas.toDataURL('image/webp', 0.7).split(',')[1] ?? ''
      }, shot)
      writeFileSync(join(folder, `gallery-${name}-${width}.webp`), Buffer.from(packed, 'base64'))
    }
  })
