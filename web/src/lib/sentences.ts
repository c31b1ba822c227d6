/**
 * One text of those sentences that there are: an element has one string (scripts/check-text.mjs).
 */
export const sentences = (...all: readonly (string | false | null | undefined)[]): string =>
  all.filter(Boolean).join(' ')
