import type { ReactElement } from 'react'

/**
 * Content whose texts are in elements of their own, so that no child is a string
 * (scripts/check-text.mjs). React writes nothing for an empty one: `code && <Coupon />`.
 */
export type Elements = ReactElement | boolean | null | undefined | '' | readonly Elements[]
