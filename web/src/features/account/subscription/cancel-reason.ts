/** Room for the visitor's own words. The server keeps 500 characters with the listed reason. */
export const MAX_WORDS = 450

/** Why somebody cancels, as it is sent; undefined where they gave no reason. */
export function cancelReason(choice: string, words: string): string | undefined {
  const said = [choice, words.trim().slice(0, MAX_WORDS).trimEnd()].filter((part) => part !== '')
  return said.length > 0 ? said.join(': ') : undefined
}
