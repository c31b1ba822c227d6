/** A name that no line breaks: 'Elite Nível' must not part from its '1'. */
export function noBreak(name: string): string {
  return name.replaceAll(' ', '\u00a0')
}
