import { createHash } from 'node:crypto'

/** An element that a page contains inline, and the hash by which the page's policy allows it. */
export interface Inline {
  tag: string
  /** `sha256-…` */
  hash: string
}

/** `content` is what stands between the tags, to the byte. */
export function inline(element: 'style' | 'script type="module"', content: string): Inline {
  const [name] = element.split(' ')
  if (content.includes(`</${name}`)) throw new Error(`an inline ${name} contains its own end`)
  const hash = `sha256-${createHash('sha256').update(content).digest('base64')}`
  return { tag: `<${element}>${content}</${name}>`, hash }
}
