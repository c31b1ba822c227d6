import { useEffect, useState } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import styles from './route-effects.module.css'

let firstKey: string | undefined

/**
 * What a browser does for a page load and a router does not: scroll to the top (or to the anchor), move the
 * focus to the heading, say the title. On back and forward the browser restores the position by itself.
 */
export function RouteEffects({ title }: { title: string }) {
  const { key, hash } = useLocation()
  const type = useNavigationType()
  const [announced, setAnnounced] = useState('')

  useEffect(() => {
    firstKey ??= key
    const target = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null
    if (key === firstKey) {
      // A shell page renders after the browser looked for the anchor.
      target?.scrollIntoView()
      return
    }
    if (type !== 'POP') {
      if (target) target.scrollIntoView()
      else scrollTo(0, 0)
    }
    const heading = target ?? document.querySelector<HTMLElement>('h1')
    if (heading && !heading.hasAttribute('tabindex')) heading.tabIndex = -1
    heading?.focus({ preventScroll: true })
    setAnnounced(title)
  }, [key, hash, type, title])

  return (
    <p className={styles.announcer} aria-live="polite">
      {announced}
    </p>
  )
}
