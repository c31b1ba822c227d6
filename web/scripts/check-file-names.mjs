/** A source file that a comment names exists: a reader must not search for a renamed one. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const COMMENT = /(?:^|\s)(?:\/\/[/!]?|\/?\*+|#)\s(.*)/
/** A name, without `*` and `/` of a pattern or of a folder before it. */
const NAME = /(?<![\w*.-])[\w-]+(?:\.[\w-]+)*\.(?:tsx?|rs|css|mjs|sh)\b/g
/** A placeholder of tests/structure/imports.rs. */
const PLACEHOLDERS = ['area.rs']

const root = join(import.meta.dirname, '../..')
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
const files = listed.toString().trim().split('\n')
const known = new Set([...files.map((file) => basename(file)), ...PLACEHOLDERS])

for (const file of files.filter((file) => /\.(tsx?|mjs|js|rs|css|sh|proto|toml)$/.test(file)))
  for (const [at, line] of readFileSync(join(root, file), 'utf8').split('\n').entries())
    for (const [name] of COMMENT.exec(line)?.[1]?.matchAll(NAME) ?? [])
      if (!known.has(name)) {
        console.error(`${file}:${at + 1}: no file is called ${name}`)
        process.exitCode = 1
      }
