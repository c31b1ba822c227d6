import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { readTab, writeTab } from './browser-storage'
import type { Elements } from './elements'
import { TOAST_MS } from './timers'

/** A short message over the page. Errors are alerts, everything else has role status. */
export interface Toast {
  kind: 'success' | 'error' | 'info'
  title: string
  description?: string
  /** Subject: `closeAbout` closes the toasts of a subject. */
  about?: string
  /** Buttons inside the toast, the main one last; pressing one closes the toast. */
  actions?: readonly { label: string; onSelect: () => void }[]
  durationMs?: number
}

export type ShownToast = Toast & { id: number }

export interface ToastContext {
  show: (toast: Toast) => void
  close: (id: number) => void
  /** Closes the toasts of a subject. */
  closeAbout: (about: string) => void
}

const Verbs = createContext<ToastContext | null>(null)
const Shown = createContext<readonly ShownToast[]>([])

export function ToastProvider({ children }: { children: Elements }) {
  const [shown, setShown] = useState<readonly ShownToast[]>([])
  const lastId = useRef(0)
  // The next value of `shown`, because the page may be left before the next render.
  const latest = useRef(shown)

  const set = useCallback((next: readonly ShownToast[]) => {
    latest.current = next
    setShown(next)
  }, [])
  const close = useCallback((id: number) => set(latest.current.filter((toast) => toast.id !== id)), [set])
  const closeAbout = useCallback(
    (about: string) => set(latest.current.filter((toast) => toast.about !== about)),
    [set],
  )
  const show = useCallback(
    (toast: Toast) => {
      lastId.current += 1
      // One at a time: more would cover the page on a phone, and contradict each other.
      set([{ durationMs: TOAST_MS, ...toast, id: lastId.current }])
    },
    [set],
  )

  useEffect(() => {
    const toast = takeKeptToast()
    if (toast) show(toast)
    // A message about what led to another page is shown there. One with actions belongs to its
    // page.
    const leave = () => {
      const [toast] = latest.current
      if (toast && !toast.actions) writeTab('toast', JSON.stringify({ toast, at: Date.now() }))
    }
    addEventListener('pagehide', leave)
    return () => removeEventListener('pagehide', leave)
  }, [show])

  const verbs = useMemo(() => ({ show, close, closeAbout }), [show, close, closeAbout])
  return (
    <Verbs value={verbs}>
      <Shown value={shown}>{children}</Shown>
    </Verbs>
  )
}

/** Longest time between the pages, for a slow connection. */
const MAX_BETWEEN_PAGES_MS = 15_000

function takeKeptToast(): Toast | null {
  const kept = readTab('toast')
  writeTab('toast', null)
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (!kept || navigation?.type !== 'navigate') return null
  const { toast, at }: { toast: Toast; at: number } = JSON.parse(kept)
  return Date.now() - at < MAX_BETWEEN_PAGES_MS ? toast : null
}

/** `const { show } = useToasts()`. */
export function useToasts(): ToastContext {
  const verbs = useContext(Verbs)
  if (!verbs) throw new Error('useToasts needs a ToastProvider above it')
  return verbs
}

export function useShownToasts(): readonly ShownToast[] {
  return useContext(Shown)
}
