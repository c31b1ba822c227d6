import { useCallback, useEffect, useRef } from 'react'
import { classNames } from '../../../lib/class-names'
import { PARTNERS_CAROUSEL_MS } from '../../../lib/timers'
import { useRotation } from '../../../lib/use-rotation'
import { useSettledScroll } from '../../../lib/use-settled-scroll'
import { allStores } from '../../../texts/all-stores'
import { stores as texts } from '../../../texts/stores'
import { PauseButton } from '../solutions/pause-button'
import allStyles from './all-stores.module.css'
import styles from './stores.module.css'

const { names } = texts

/**
 * The partner stores: their names pass by in large type and begin again, and a list shows them
 * all.
 */
export function Stores() {
  const { index, calm, paused, setPaused, hover, focus } = useRotation(names.length, PARTNERS_CAROUSEL_MS)
  const track = useRef<HTMLUListElement>(null)
  const last = useRef(0)

  useEffect(() => {
    const element = track.current
    if (!element || index === last.current) return
    // The first names follow the last one as a copy.
    const target = element.children[index === 0 ? names.length : index]
    last.current = index
    element.scrollTo({ left: offsetOf(target), behavior: calm ? 'instant' : 'smooth' })
  }, [index, calm])

  // Arrived at the copies: the same view, one round earlier.
  const settled = useCallback((element: HTMLElement) => {
    const round = offsetOf(element.children[names.length])
    if (element.scrollLeft >= round - 1)
      element.scrollTo({ left: element.scrollLeft - round, behavior: 'instant' })
  }, [])
  useSettledScroll(track, settled)

  return (
    <section className={styles.section} aria-labelledby="stores-title" {...focus}>
      <div className={styles.head}>
        <div>
          <h2 id="stores-title" className="title-lg">
            {texts.title}
          </h2>
          <p className={styles.lead}>{texts.lead}</p>
        </div>
        <PauseButton paused={paused} onChange={setPaused} texts={texts} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a pointer the arrow keys scroll it */}
      <ul ref={track} className={styles.track} aria-label={texts.track} tabIndex={0} {...hover}>
        {names.map((name, at) => (
          <li className={classNames(styles.store, at === index && styles.current)} key={name}>
            {name}
          </li>
        ))}
        {/* Two copies: one round and the widest window beside it. */}
        {[...names, ...names].map((name, at) => (
          <li
            className={classNames(styles.store, at % names.length === index && styles.current)}
            // biome-ignore lint/suspicious/noArrayIndexKey: each name stands there twice
            key={at}
            aria-hidden="true"
          >
            {name}
          </li>
        ))}
      </ul>
      <AllStores />
    </section>
  )
}

function offsetOf(element: Element | undefined): number {
  const { offsetLeft = 0, parentElement } = (element as HTMLElement | undefined) ?? {}
  return offsetLeft - ((parentElement?.firstElementChild as HTMLElement | null)?.offsetLeft ?? 0)
}

/** Every partner store, behind one press. */
function AllStores() {
  return (
    <details className={allStyles.all}>
      <summary className={allStyles.summary}>
        <span>{allStores.all}</span>
        <svg viewBox="0 0 16 16" width="16" height="16" fill="none" aria-hidden="true">
          <path d="m3 6 5 5 5-5" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
        </svg>
      </summary>
      <div className={allStyles.groups}>
        {allStores.groups.map(({ name, stores }) => (
          <div key={name}>
            <h3 className={allStyles.group}>{name}</h3>
            <ul>
              {stores.map((store) => (
                <li key={store}>{store}</li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </details>
  )
}
