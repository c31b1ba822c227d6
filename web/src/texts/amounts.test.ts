import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('an amount does not part from its unit at the end of a line', () => {
  for (const file of readdirSync('src/texts').filter((name) => !name.endsWith('.test.ts'))) {
    const text = readFileSync(`src/texts/${file}`, 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    expect(text, file).not.toMatch(/R\$ \d|\d (L|ml|W|g|kg|cm)\b/)
  }
})
