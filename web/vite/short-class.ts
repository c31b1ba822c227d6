import { readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'

/** No vowel: a blocker of advertising hides what is called `ad3` or `banner`. */
const LETTERS = 'bcdfghjklmnpqrstvwxz'
const SOURCES = join(import.meta.dirname, '../src')
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.module.css'))
  .sort()
const namesOf = new Map<string, string[]>()

/**
 * The class that a page wears for a name of a stylesheet: two letters for the file and the name's
 * number in it, the same in the browser's build and in the one that writes the pages. Longer ones
 * were 1 KB of the home page's 16.8, packed.
 */
export function shortClass(name: string, file: string): string {
  const at = files.indexOf(relative(SOURCES, file))
  if (at < 0) throw new Error(`${file} is no stylesheet of the site`)
  const names = namesOf.get(file) ?? []
  namesOf.set(file, names)
  if (!names.includes(name)) names.push(name)
  const letter = (place: number) => LETTERS[place % LETTERS.length]
  return `${letter(Math.floor(at / LETTERS.length))}${letter(at)}${names.indexOf(name)}`
}

/** While one works at it: which file, which name. */
export function readableClass(name: string, file: string): string {
  return `${basename(file, '.module.css')}_${name}`
}
