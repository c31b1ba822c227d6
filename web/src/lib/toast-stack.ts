/** What decides which toasts stand together. */
interface Stacked {
  title: string
  /** What the message is about: a later one about the same replaces it, as a form's next answer does. */
  about?: string
}

/** More would cover the page on a phone, and contradict each other. */
const AT_ONCE = 1

/** The toasts once `next` came: the same message and the same matter stand only once, the newest alone. */
export function stack<T extends Stacked>(shown: readonly T[], next: T): readonly T[] {
  const others = shown.filter(
    (old) => old.title !== next.title && (next.about === undefined || old.about !== next.about),
  )
  return [...others, next].slice(-AT_ONCE)
}
