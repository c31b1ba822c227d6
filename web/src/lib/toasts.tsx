import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react'
import { TOAST_MS } from './timers'

/** A short message over the page. Errors are alerts, everything else has role status. */
export interface Toast {
  kind: 'success' | 'error' | 'info'
  title: string
  description?: string
  /** What it is about: `closeAbout` closes it when that is over. */
  about?: string
  /** Buttons inside the toast, the main one last; pressing one closes the toast. */
  actions?: readonly { label: string; onSelect: () => void }[]
  durationMs?: number
}

export type ShownToast = Toast & { id: number }

export interface ToastContext {
  show: (toast: Toast) => void
  close: (id: number) => void
  /** Closes what is said about a matter that is over. */
  closeAbout: (about: string) => void
}

const Verbs = createContext<ToastContext | null>(null)
const Shown = createContext<readonly ShownToast[]>([])

export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly ShownToast[]>([])
  const lastId = useRef(0)

  const close = useCallback((id: number) => setShown((all) => all.filter((toast) => toast.id !== id)), [])
  const closeAbout = useCallback(
    (about: string) => setShown((all) => all.filter((toast) => toast.about !== about)),
    [],
  )
  const show = useCallback((toast: Toast) => {
    lastId.current += 1
    // One at a time: more would cover the page on a phone, and contradict each other.
    setShown([{ durationMs: TOAST_MS, ...toast, id: lastId.current }])
  }, [])

  const verbs = useMemo(() => ({ show, close, closeAbout }), [show, close, closeAbout])
  return (
    <Verbs value={verbs}>
      <Shown value={shown}>{children}</Shown>
    </Verbs>
  )
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
