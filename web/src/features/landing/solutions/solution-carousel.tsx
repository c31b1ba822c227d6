import { useCallback, useEffect, useRef } from 'react'
import { SOLUTIONS_CAROUSEL_MS } from '../../../lib/timers'
import { useIsHydrating } from '../../../lib/use-is-hydrating'
import { useRotation } from '../../../lib/use-rotation'
import { useSettledScroll } from '../../../lib/use-settled-scroll'
import { solutionCarousel as texts } from '../../../texts/solution-carousel'
import { TabList } from '../../../ui/tabs'
import { PauseButton } from './pause-button'
import styles from './solution-carousel.module.css'
import { Slide } from './solution-slides'

const slides = ['promoter', 'request', 'queues'] as const

/**
 * Three tools, one at a time. The track scrolls and snaps by itself, so that a finger, the tabs and
 * the timer all move the same thing, and it can be read without scripts; the active tab follows the
 * slide.
 */
export function SolutionCarousel({ heading: Heading = 'h3' }: { heading?: 'h2' | 'h3' }) {
  const { index, go, calm, paused, setPaused, hover, focus } = useRotation(
    slides.length,
    SOLUTIONS_CAROUSEL_MS,
  )
  // Without scripts all slides are there to be read.
  const isHydrating = useIsHydrating()
  const track = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const element = track.current
    if (!element || slideOf(element) === index) return
    element.scrollTo({ left: index * element.clientWidth, behavior: calm ? 'instant' : 'smooth' })
  }, [index, calm])

  const shown = useRef(index)
  shown.current = index
  const settled = useCallback(
    (element: HTMLElement) => {
      const swiped = slideOf(element)
      // A slow device may pause on the way: the slide is chosen once it has come to rest.
      const isAtRest = Math.abs(element.scrollLeft - swiped * element.clientWidth) < 2
      if (isAtRest && swiped !== shown.current) go(swiped)
    },
    [go],
  )
  useSettledScroll(track, settled)

  return (
    <div className={styles.carousel} {...focus}>
      <div className={styles.side}>
        <Heading className="title-md">{texts.title}</Heading>
        <TabList
          id="tool"
          label={texts.tabs}
          tabs={texts.names}
          selected={index}
          onSelect={go}
          panelOf={(at) => `tool-${at}`}
          look={{ list: styles.tabs, tab: styles.tab }}
        />
        <PauseButton paused={paused} onChange={setPaused} texts={texts} />
      </div>
      <div ref={track} className={styles.track} {...hover}>
        {slides.map((of, at) => (
          <div
            key={texts.names[at]}
            className={styles.slide}
            role="tabpanel"
            id={`tool-${at}`}
            aria-labelledby={`tool-tab-${at}`}
            tabIndex={at === index ? 0 : -1}
            aria-hidden={(!isHydrating && at !== index) || undefined}
          >
            <Slide of={of} />
          </div>
        ))}
      </div>
    </div>
  )
}

/** The slide nearest to the scroll position of the track. */
function slideOf(track: HTMLElement): number {
  return Math.round(track.scrollLeft / Math.max(1, track.clientWidth))
}
