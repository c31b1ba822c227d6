import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { classNames } from '../lib/class-names'
import styles from './tabs.module.css'

/** `short` is shown where the tabs are narrow. */
export interface TabNote {
  text: string
  short?: string
}

/**
 * A row of tabs over one panel: arrows, Home and End move and select (ARIA tabs, automatic activation).
 * The panel's content is the caller's, for the selected index.
 */
export function Tabs({
  label,
  tabs,
  notes,
  selected,
  onSelect,
  tone = 'light',
  className,
  children,
}: {
  label: string
  tabs: readonly string[]
  /** A few words under each name; they describe the tab and are no part of its name. */
  notes?: readonly TabNote[]
  selected: number
  onSelect: (index: number) => void
  tone?: 'light' | 'dark'
  className?: string
  children: ReactNode
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)

  const move = (event: KeyboardEvent) => {
    const target = arrowTarget(event.key, selected, tabs.length)
    if (target === undefined) return
    event.preventDefault()
    onSelect(target)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus()
  }

  return (
    <>
      <div ref={list} className={classNames(styles.list, styles[tone])} role="tablist" aria-label={label}>
        {tabs.map((tab, index) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-controls={`${id}-panel`}
            aria-selected={index === selected}
            aria-description={notes?.[index]?.text}
            data-short={notes?.[index]?.short}
            tabIndex={index === selected ? 0 : -1}
            className={styles.tab}
            onClick={() => onSelect(index)}
            onKeyDown={move}
          >
            {tab}
          </button>
        ))}
      </div>
      <div className={className} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${selected}`}>
        {children}
      </div>
    </>
  )
}

/** The tab that a key leads to: arrows go round, Home and End to the ends. */
export function arrowTarget(key: string, selected: number, count: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowRight: (selected + 1) % count,
    ArrowLeft: (selected + count - 1) % count,
    Home: 0,
    End: count - 1,
  }
  return targets[key]
}
