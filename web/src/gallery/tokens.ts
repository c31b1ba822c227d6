import css from '../styles/tokens.css?raw'

export const SCHEMES = ['light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

const HEX = /^#[\da-f]{6}$/

export interface Token {
  name: string
  /** As tokens.css writes it. */
  value: string
}

export interface TokenGroup {
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
    if (comment !== undefined) found.push({ about: comment.replace(/[\s*]+/g, ' ').trim(), tokens: [] })
    if (name && value) found.at(-1)?.tokens.push({ name, value: value.replace(/\s+/g, ' ') })
  }
  return found.filter(({ tokens }) => tokens.length > 0)
}

export const tokensNamed = (pattern: RegExp) =>
  groups.flatMap(({ tokens }) => tokens).filter(({ name }) => pattern.test(name))

/** A colour of the palette. */
export const isPrimitive = ({ value }: Token) => HEX.test(value)
/** A colour, a colour per scheme, or a gradient. */
export const isColor = ({ name }: Token) =>
  [HEX, /^rgb\(/, /^(?:linear|radial|conic)-gradient\(/].some((form) => form.test(resolve(name, 'light')))
/** Named by drawings alone. */
export const isOfDrawings = ({ about }: TokenGroup) => about.startsWith('Drawings: ')

/** The value of a token in a scheme, at the end of a chain of var() and light-dark(). */
export function resolve(name: string, scheme: Scheme): string {
  const value = valueIn(all.get(name) ?? '', scheme)
  const next = named(value)
  return next ? resolve(next, scheme) : value
}

/** `value` itself, or that of its light-dark() for a scheme. */
export function valueIn(value: string, scheme: Scheme): string {
  const [, light, dark] = /^light-dark\(([^,]+), ([^,]+)\)$/.exec(value) ?? []
  return (scheme === 'light' ? light : dark) ?? value
}

/** The token that a value names. */
export const named = (value: string): string | undefined => /^var\((--[\w-]+)\)$/.exec(value)?.[1]

/** Contrast of two colours by WCAG 2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  if (!HEX.test(hex)) throw new Error(`${hex} is no colour`)
  const [red = 0, green = 0, blue = 0] = (hex.match(/[\da-f]{2}/g) ?? []).map((pair) => {
    const part = Number.parseInt(pair, 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
