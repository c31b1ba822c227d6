import { useEffect, useRef, useState } from 'react'
import { useBottomInset } from '../lib/bottom-inset'
import { classNames } from '../lib/class-names'
import { freeShift } from '../lib/free-shift'
import { type ShownToast, useToasts } from '../lib/toasts'
import { toast as texts } from '../texts/site'
import { Button } from './button'
import { LineIcon } from './line-icon'
import styles from './toast.module.css'

/** The region of toasts, over everything; once, at the end of the app. */
export default function ToastRegion({ toasts }: { toasts: readonly ShownToast[] }) {
  const region = useRef<HTMLElement>(null)
  const home = useRef<Element>(null)
  const inset = useBottomInset()
  const isHeard = useTwoFrames()

  // The top layer, shown again for each change, so that it is the topmost; and within an open
  // dialog, because everything beside it is inert.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each change
  useEffect(() => {
    const element = region.current
    if (!element?.showPopover) return
    home.current ??= element.parentElement
    if (element.matches(':popover-open')) element.hidePopover()
    const stand = () => {
      const host = [...document.querySelectorAll('dialog:modal')].at(-1) ?? home.current
      if (element.parentElement !== host) host?.append(element)
      if (!element.matches(':popover-open')) element.showPopover()
    }
    stand()
    const dialogs = new MutationObserver(stand)
    dialogs.observe(document.body, { attributeFilter: ['open'], childList: true, subtree: true })
    return () => dialogs.disconnect()
  }, [toasts])

  // Moves the toast away from the pressed control and all other actions in view. Runs after the
  // effect above, which places the toast.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each change
  useEffect(() => {
    const place = () => {
      if (region.current) leaveActionsFree(region.current)
    }
    place()
    // A page that glides to a wrong field has other actions in view once it rests. A browser
    // without the event keeps the first place.
    addEventListener('scrollend', place)
    return () => removeEventListener('scrollend', place)
  }, [toasts, isHeard, inset])

  return (
    <section
      ref={region}
      className={styles.region}
      style={{ marginBottom: inset }}
      popover="manual"
      aria-label={texts.region}
      // The only live region: the cards have their roles for those who look for them.
      aria-live={toasts[0]?.kind === 'error' ? 'assertive' : 'polite'}
    >
      {isHeard && toasts.map((toast) => <ToastCard key={toast.id} toast={toast} />)}
    </section>
  )
}

/** What a toast must not cover: actions (of a checkbox its label), and the title of the page. */
const ACTIONS =
  'a[href], button, input:not([type=checkbox], [type=radio]), select, textarea, summary, label, iframe, [role=tab], h1'
const EDGE_PX = 8

function leaveActionsFree(region: HTMLElement) {
  region.style.translate = ''
  if (region.childElementCount === 0) return
  const within = region.closest('dialog') ?? document
  const actions = [...within.querySelectorAll(ACTIONS)]
    .filter((action) => !region.contains(action) && action.checkVisibility?.({ visibilityProperty: true }))
    .map((action) => action.getBoundingClientRect())
  const inset = Number.parseFloat(region.style.marginBottom) || 0
  const shift = freeShift(region.getBoundingClientRect(), actions, EDGE_PX, innerHeight - inset - EDGE_PX)
  if (shift) region.style.translate = `0 ${shift}px`
}

/** True after two frames, because screen readers read only later changes of a new region. */
function useTwoFrames(): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setPassed(true))
    })
    return () => cancelAnimationFrame(frame)
  }, [])
  return passed
}

function ToastCard({ toast }: { toast: ShownToast }) {
  const { close } = useToasts()
  const { id, durationMs } = toast
  const isPaused = useRef(false)

  // Counted in short steps, so that hover and focus pause it.
  useEffect(() => {
    let leftMs = durationMs ?? 0
    const stepMs = 250
    const timer = setInterval(() => {
      if (isPaused.current) return
      leftMs -= stepMs
      if (leftMs <= 0) close(id)
    }, stepMs)
    return () => clearInterval(timer)
  }, [id, durationMs, close])

  const pause = (value: boolean) => () => {
    isPaused.current = value
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hover and focus only pause the toast
    <div
      className={classNames(styles.toast, styles[toast.kind])}
      role={toast.kind === 'error' ? 'alert' : 'status'}
      aria-live="off"
      onMouseEnter={pause(true)}
      onMouseLeave={pause(false)}
      onFocus={pause(true)}
      onBlur={pause(false)}
    >
      <div className={styles.text}>
        <p className={styles.title}>{toast.title}</p>
        {toast.description && <p className={styles.description}>{toast.description}</p>}
      </div>
      {toast.actions && (
        <div className={styles.actions}>
          {toast.actions.map(({ label, onSelect }, at, { length }) => (
            <Button
              key={label}
              size="sm"
              variant={at === length - 1 ? 'gold' : 'light'}
              onClick={() => {
                close(id)
                onSelect()
              }}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
      <button type="button" className={styles.close} aria-label={texts.close} onClick={() => close(id)}>
        <LineIcon viewBox="0 0 20 20" width="18" height="18" strokeWidth="2" d="m5 5 10 10M15 5 5 15" />
      </button>
    </div>
  )
}
