import css from '../styles/tokens.css?raw'

export interface Token {
  name: string
  /** As tokens.css writes it. */
  value: string
}

interface TokenGroup {
  /** The comment above the group. */
  about: string
  tokens: Token[]
}

/** The tokens, grouped by the comments of tokens.css. */
export const groups = parseTokens(css)

const all = new Map(groups.flatMap(({ tokens }) => tokens).map(({ name, value }) => [name, value]))

export function parseTokens(text: string): TokenGroup[] {
  const found: TokenGroup[] = []
  for (const [, comment, name, value] of text.matchAll(/\/\*(.*?)\*\/|(--[\w-]+):\s*([^;]+);/gs)) {
    if (comment !== undefined) found.push({ about: comment.replace(/\s+/g, ' ').trim(), tokens: [] })
    if (name && value) found.at(-1)?.tokens.push({ name, value: value.replace(/\s+/g, ' ') })
  }
  return found.filter(({ tokens }) => tokens.length > 0)
}

export const tokensNamed = (pattern: RegExp) =>
  groups.flatMap(({ tokens }) => tokens).filter(({ name }) => pattern.test(name))

/** A colour of the palette by its value, others by the colour that they name. */
export const isPrimitive = ({ value }: Token) => /^#[\da-f]{6}$/.test(value)
export const isColor = ({ name, value }: Token) =>
  isPrimitive({ name, value }) || /^rgb\(/.test(value) || /^#[\da-f]{6}$/.test(resolve(name))

/** The value at the end of a chain of var(). */
export function resolve(name: string): string {
  const value = all.get(name) ?? ''
  const [, next] = /^var\((--[\w-]+)\)$/.exec(value) ?? []
  return next ? resolve(next) : value
}

/** Contrast of two colours by WCAG 2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = (hex.match(/[\da-f]{2}/g) ?? []).map((pair) => {
    const part = Number.parseInt(pair, 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
