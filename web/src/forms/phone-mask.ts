/** The WhatsApp input: digits only, at most 11, shown as (DD) NNNNN-NNNN. */
const NATIONAL_DIGITS = 11
const COUNTRY_CODE = '55'

/** Area code, then a mobile's nine digits or a landline's eight. No area code has a zero. */
const NATIONAL = '([1-9]{2}(?:9\\d{8}|[2-5]\\d{7}))'
const WITH_COUNTRY = new RegExp(`^55${NATIONAL}$`)
/** '021 11 98765-4321': the trunk zero and the two digits of a carrier. */
const WITH_CARRIER = new RegExp(`^0+\\d\\d${NATIONAL}$`)
const IS_INTERNATIONAL = /^\D*(\+|00)/

/**
 * The national digits of a whole number. 55 is an area code too: it is the country's only behind a
 * plus or '00', or before a whole number. One of another country keeps its plus, and is no phone.
 */
export function phoneDigits(text: string): string {
  const digits = text.replace(/\D/g, '')
  if (!IS_INTERNATIONAL.test(text)) return withoutTrunk(WITH_COUNTRY.exec(digits)?.[1] ?? digits)
  const international = digits.replace(/^0+/, '')
  return international.startsWith(COUNTRY_CODE)
    ? withoutTrunk(international.slice(COUNTRY_CODE.length))
    : `+${international}`
}

function withoutTrunk(digits: string): string {
  const national = WITH_CARRIER.exec(digits)?.[1] ?? digits.replace(/^0+/, '')
  return national.slice(0, NATIONAL_DIGITS)
}

/** Whether a text is a number with its area code. */
export const isPhone = (text: string) => /^\d{10,11}$/.test(phoneDigits(text))

/** Puts a whole number in order; leaves what may still become one. */
export const orderPhone = (text: string) => (isPhone(text) ? phoneDigits(text) : text)

/**
 * The new value of the input when it showed `shown` and now has `value`. A digit that is typed
 * after a whole number is ignored; it must not turn its area code 55 into the country's.
 */
export function changePhone(shown: string, value: string): string {
  if (value.length !== shown.length + 1) return orderPhone(value)
  return shown.startsWith('(') && phoneDigits(shown).length === NATIONAL_DIGITS ? shown : value
}

/** Position of the caret behind the first `count` digits and pluses of a masked number. */
export function caretBehind(masked: string, count: number): number {
  let at = 0
  for (let left = count; left > 0 && at < masked.length; at += 1)
    if (/[\d+]/.test(masked[at] ?? '')) left -= 1
  return at
}

/**
 * The masked number: '(11) 98765-4321'; ten digits are a landline, '(11) 3333-4444'. Behind a
 * plus or a zero there is no mask, because more than one number can come of it.
 */
export function maskPhone(text: string): string {
  if (/^\s*[+0]/.test(text)) return text.replace(/[^\d+]/g, '')
  const digits = phoneDigits(text)
  if (digits.length === 0) return ''
  const area = digits.slice(0, 2)
  const rest = digits.slice(2)
  if (rest === '') return `(${area}`
  const cut = digits.length === 10 ? 4 : 5
  const tail = rest.slice(cut)
  return `(${area}) ${rest.slice(0, cut)}${tail && `-${tail}`}`
}
