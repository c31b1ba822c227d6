import { type ComponentProps, type MouseEvent, useId } from 'react'
import { classNames } from '../lib/class-names'
import styles from './stepper-tabs.module.css'
import { TabList, type Tabs } from './tabs'

/**
 * Tabs over one panel, drawn as a stepper for levels that differ in a number: the number between
 * 'less' and 'more', and under it one bar per tab. The two buttons are for a pointer alone: with
 * the keyboard and a screen reader one uses the tabs.
 */
export function StepperTabs({
  unit,
  values,
  tone = 'light',
  className,
  children,
  ...tabs
}: ComponentProps<typeof Tabs> & {
  /** What the number counts. */
  unit: string
  values: readonly number[]
}) {
  const id = useId()
  const panel = `${id}-panel`
  const { selected, onSelect } = tabs
  const step = (by: -1 | 1) => (
    <button
      type="button"
      className={classNames(styles.step, by > 0 && styles.more)}
      tabIndex={-1}
      aria-hidden="true"
      disabled={values[selected + by] === undefined}
      onMouseDown={keepFocus}
      onClick={() => onSelect(selected + by)}
    />
  )
  return (
    <>
      <div className={classNames(styles.stepper, styles[tone])}>
        <p className={styles.unit}>{unit}</p>
        <div className={styles.control}>
          {step(-1)}
          <b key={selected}>{String(values[selected])}</b>
          {step(1)}
        </div>
        <TabList id={id} panelOf={() => panel} look={{ list: styles.bars, tab: styles.bar }} {...tabs} />
      </div>
      <div className={className} role="tabpanel" id={panel} aria-labelledby={`${id}-tab-${selected}`}>
        {children}
      </div>
    </>
  )
}

/** What is hidden from a screen reader must not get the focus. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault()
}
