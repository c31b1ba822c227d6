import { useEffect, useId, useLayoutEffect, useRef } from 'react'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import styles from './dialog.module.css'

/**
 * A modal dialog on the native element, which is in the page while it is open: the page behind is
 * inert, and Tab goes round by the browser's own buttons; Escape closes. `onClose` is called
 * however it is closed. While it is `locked`, only the buttons inside close it.
 */
export function Dialog({
  title,
  onClose,
  locked = false,
  look = 'card',
  children,
}: {
  title: string
  onClose: () => void
  locked?: boolean
  /** `overlay` covers the whole screen. */
  look?: 'card' | 'overlay'
  children: Elements
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget>(null)
  const titleId = useId()

  useEffect(() => {
    const dialog = ref.current
    if (!dialog || dialog.open) return
    dialog.showModal()
    // It has scrolled to the control that it focused, and the title must be visible.
    dialog.scrollTop = 0
  }, [])

  // A new title is a new step, which is shown from the top. A layout effect, because the step's own
  // effects may scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the title names the step
  useLayoutEffect(() => {
    if (ref.current) ref.current.scrollTop = 0
  }, [title])

  // Closing it before its removal gives the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current
    return () => dialog?.close()
  }, [])

  // Chromium closes a dialog on the second Escape even if `cancel` was prevented, so Escape is
  // stopped at keydown while the dialog is locked.
  useEffect(() => {
    if (!locked) return
    const hold = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault()
    addEventListener('keydown', hold, { capture: true })
    return () => removeEventListener('keydown', hold, { capture: true })
  }, [locked])

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on the ground around it
    <dialog
      ref={ref}
      className={classNames(styles.dialog, styles[look])}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        if (!locked) onClose()
      }}
      onClose={() => {
        // Closed by the browser all the same, for instance by the back gesture of a phone.
        if (ref.current?.open) return
        if (locked) ref.current?.showModal()
        else onClose()
      }}
      onPointerDown={(event) => {
        pressed.current = event.target
      }}
      onClick={({ target }) => {
        // A text selection by mouse may end outside the content.
        const isGround = target === ref.current && pressed.current === target
        if (isGround && !locked && look === 'card') onClose()
      }}
    >
      <div className={styles.content}>
        <h2 className="title-sm" id={titleId}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}
