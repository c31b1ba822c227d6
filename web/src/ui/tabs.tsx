import { type ComponentProps, type KeyboardEvent, useId, useRef } from 'react'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import styles from './tabs.module.css'

/** A row of tabs: arrows, Home and End move and select (ARIA tabs, automatic activation). */
export function TabList({
  id,
  label,
  tabs,
  notes,
  selected,
  onSelect,
  panelOf,
  look,
}: {
  /** The tabs' ids begin with it: `id-tab-0`. */
  id: string
  label: string
  tabs: readonly string[]
  /** A few words under each name, which end the name of the tab: 'Nível 1 10 grupos'. */
  notes?: readonly string[] | undefined
  selected: number
  onSelect: (index: number) => void
  /** The id of a tab's panel. */
  panelOf: (index: number) => string
  look: { list: string | undefined; tab: string | undefined }
}) {
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const target = arrowTarget(event.key, selected, tabs.length)
    if (target === undefined) return
    event.preventDefault()
    onSelect(target)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[target]?.focus()
  }
  return (
    <div ref={list} className={look.list} role="tablist" aria-label={label}>
      {tabs.map((tab, index) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`${id}-tab-${index}`}
          aria-controls={panelOf(index)}
          aria-selected={index === selected}
          tabIndex={index === selected ? 0 : -1}
          className={look.tab}
          onClick={() => onSelect(index)}
          onKeyDown={move}
        >
          {notes ? (
            <>
              <span>{tab}</span>
              <span>{notes[index]}</span>
            </>
          ) : (
            tab
          )}
        </button>
      ))}
    </div>
  )
}

/** Tabs over one panel. The panel's content is the caller's, for the selected index. */
export function Tabs({
  tone = 'light',
  className,
  children,
  ...tabs
}: Omit<ComponentProps<typeof TabList>, 'id' | 'panelOf' | 'look'> & {
  tone?: 'light' | 'dark'
  className?: string
  children: Elements
}) {
  const id = useId()
  const panel = `${id}-panel`
  const look = { list: classNames(styles.list, styles[tone]), tab: styles.tab }
  return (
    <>
      <TabList id={id} panelOf={() => panel} look={look} {...tabs} />
      <div className={className} role="tabpanel" id={panel} aria-labelledby={`${id}-tab-${tabs.selected}`}>
        {children}
      </div>
    </>
  )
}

/** The tab that a key leads to: arrows go round, Home and End to the ends. */
function arrowTarget(key: string, selected: number, count: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowRight: (selected + 1) % count,
    ArrowLeft: (selected + count - 1) % count,
    Home: 0,
    End: count - 1,
  }
  return targets[key]
}
