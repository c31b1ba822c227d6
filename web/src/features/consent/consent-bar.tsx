import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { setBottomInset } from '../../lib/bottom-inset'
import { classNames } from '../../lib/class-names'
import { PREFERENCES } from '../../lib/paths'
import { consent as texts } from '../../texts/consent'
import { Button } from '../../ui/button'
import styles from './consent.module.css'

/**
 * The question with its two answers of equal weight. `over` the page it stays at the window's foot
 * and comes first by keyboard; otherwise it is the end of the page, where it covers nothing.
 */
export default function ConsentBar({
  over,
  onAnswer,
}: {
  over: boolean
  onAnswer: (allowed: boolean) => void
}) {
  const place = usePlace(over)
  const bar = useRef<HTMLElement>(null)
  useRoomBelow(bar, over && place !== null)
  return (
    place &&
    createPortal(
      <section ref={bar} className={classNames(styles.bar, over && styles.over)} aria-label={texts.label}>
        <p className={styles.text}>
          <span>{texts.text}</span> <a href={PREFERENCES}>{texts.more}</a>
        </p>
        <div className={styles.answers}>
          <Button size="sm" variant="secondary" onClick={() => onAnswer(false)}>
            {texts.refuse}
          </Button>
          <Button size="sm" variant="secondary" onClick={() => onAnswer(true)}>
            {texts.accept}
          </Button>
        </div>
      </section>,
      place,
    )
  )
}

/** Outside of the page's own content: before it, or behind it. */
function usePlace(before: boolean): HTMLElement | null {
  const [place, setPlace] = useState<HTMLElement | null>(null)
  useLayoutEffect(() => {
    const element = document.createElement('div')
    if (before) document.body.prepend(element)
    else document.body.append(element)
    setPlace(element)
    return () => element.remove()
  }, [before])
  return place
}

/** Keeps the content above the bar. */
function useRoomBelow(bar: RefObject<HTMLElement | null>, wanted: boolean): void {
  useLayoutEffect(() => {
    const element = bar.current
    if (!wanted || !element) return
    const watch = new ResizeObserver(() => setBottomInset(element.offsetHeight))
    watch.observe(element)
    return () => {
      watch.disconnect()
      setBottomInset(0)
    }
  }, [bar, wanted])
}
