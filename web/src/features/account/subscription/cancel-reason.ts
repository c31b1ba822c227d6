/** As much as the server keeps. */
const MOST = 500

/** What is left for the visitor's own words beside a reason of the list. */
export function roomFor(choice: string): number {
  return choice === '' ? MOST : MOST - choice.length - 2
}

/** Why somebody cancels, as it is sent; undefined where they said nothing. */
export function cancelReason(choice: string, words: string): string | undefined {
  const said = [choice, words.trim().slice(0, roomFor(choice)).trimEnd()].filter((part) => part !== '')
  return said.length > 0 ? said.join(': ') : undefined
}
