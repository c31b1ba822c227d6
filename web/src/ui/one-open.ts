/** Polyfill of `<details name>` for older browsers: an opened element closes those beside it. */
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
