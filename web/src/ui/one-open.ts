/**
 * What `<details name>` does, for browsers that are older than it: the one that opens closes those
 * beside it.
 */
addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement && target.open)) return
    for (const other of target.parentElement?.children ?? [])
      if (other !== target && other instanceof HTMLDetailsElement) other.open = false
  },
  true,
)

export {}
