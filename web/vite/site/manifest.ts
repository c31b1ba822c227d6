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

  /**
   * The chunks that sources load before they run, each after its own imports: the order of their
   * styles.
   */
  closure(...sources: string[]): ManifestChunk[] {
    const chunks = new Map<string, ManifestChunk>()
    const add = (source: string) => {
      if (chunks.has(source)) return
      const chunk = this.chunk(source)
      for (const name of chunk.imports ?? []) add(name)
      chunks.set(source, chunk)
    }
    for (const source of sources) add(source)
    return [...chunks.values()]
  }

  /** A built file as text. */
  read(file: string): string {
    return readFileSync(join(this.#directory, file), 'utf8')
  }

  /** The file that contains src/frame/page-errors.ts, which reports its own name. */
  release(): string {
    const scripts = Object.values(this.#chunks).filter(({ file }) => file.endsWith('.js'))
    const reporter = scripts.find(({ file }) => this.read(file).includes('/api/client-errors'))
    if (!reporter) throw new Error('no script contains src/frame/page-errors.ts')
    return basename(reporter.file)
  }
}
