/** Widths of one digit's five bars or five spaces, wide as W. */
const DIGITS = ['NNWWN', 'WNNNW', 'NWNNW', 'WWNNN', 'NNWNW', 'WNWNN', 'NWWNN', 'NNNWW', 'WNNWN', 'NWNWN']
const START = 'NNNN'
const STOP = 'WNN'
/** A wide element, in modules; FEBRABAN allows 2 to 3. */
const WIDE = 3

/**
 * The bar code of a bank slip (Interleaved 2 of 5) as widths in modules: a bar, a space, a bar, and
 * so on. Of each pair of digits the first is in the bars and the second in the spaces. Null for
 * what is no even number of digits.
 */
export function interleaved2of5(digits: string): readonly number[] | null {
  if (!/^(\d\d)+$/.test(digits)) return null
  const pairs = digits.match(/\d\d/g) ?? []
  const body = pairs.map(([bars = '', spaces = '']) => {
    const dark = DIGITS[Number(bars)] ?? ''
    const light = DIGITS[Number(spaces)] ?? ''
    return [...dark].map((width, at) => width + light[at]).join('')
  })
  return [...START, ...body.join(''), ...STOP].map((width) => (width === 'W' ? WIDE : 1))
}
