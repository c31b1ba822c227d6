/** The WhatsApp input: digits only, at most 11, shown as (DD) NNNNN-NNNN. */
const NATIONAL_DIGITS = 11
const COUNTRY_CODE = '55'

/** The national digits of what was typed or pasted; a pasted +55 is dropped, as it is no DDD. */
export function phoneDigits(text: string): string {
  const digits = text.replace(/\D/g, '')
  const national =
    digits.length > NATIONAL_DIGITS && digits.startsWith(COUNTRY_CODE)
      ? digits.slice(COUNTRY_CODE.length)
      : digits
  return national.slice(0, NATIONAL_DIGITS)
}

/** Where the caret stands behind the first `count` digits of a masked number. */
export function caretBehind(masked: string, count: number): number {
  let at = 0
  for (let left = count; left > 0 && at < masked.length; at += 1) if (/\d/.test(masked[at] ?? '')) left -= 1
  return at
}

/** What the input shows: '(11) 98765-4321'; ten digits are a landline, '(11) 3333-4444'. */
export function maskPhone(text: string): string {
  const digits = phoneDigits(text)
  if (digits.length === 0) return ''
  const area = digits.slice(0, 2)
  const rest = digits.slice(2)
  if (rest === '') return `(${area}`
  const cut = digits.length === 10 ? 4 : 5
  const tail = rest.slice(cut)
  return `(${area}) ${rest.slice(0, cut)}${tail && `-${tail}`}`
}
