import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Manifest as Chunks, ManifestChunk } from 'vite'

/** What Vite built for the browser, by the source that each file comes from. */
export class Manifest {
  readonly #directory: string
  readonly #chunks: Chunks

  constructor(directory: string) {
    this.#directory = directory
    this.#chunks = JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8'))
  }

  /** The chunk of a source. */
  chunk(source: string): ManifestChunk {
    const chunk = this.#chunks[source]
    if (!chunk) throw new Error(`${source} is not in the manifest`)
    return chunk
  }

  /** The chunks that a source loads before it runs, each after its own imports: the order of their styles. */
  closure(source: string, seen = new Set<string>()): ManifestChunk[] {
    if (seen.has(source)) return []
    seen.add(source)
    const chunk = this.chunk(source)
    return [...(chunk.imports ?? []).flatMap((name) => this.closure(name, seen)), chunk]
  }

  /** A built file as text. */
  read(file: string): string {
    return readFileSync(join(this.#directory, file), 'utf8')
  }

  /** The file that contains src/frame/page-errors.ts, which reports its own name. */
  release(): string {
    const site = Object.values(this.#chunks).find(({ file }) => file.startsWith('assets/site-'))
    if (!site || !this.read(site.file).includes('/api/client-errors'))
      throw new Error('src/frame/page-errors.ts is not in the main script')
    return basename(site.file)
  }
}
