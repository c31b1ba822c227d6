import type { ComponentProps } from 'react'
import styles from './choice-pill.module.css'

/** A radio button in the shape of a pill; its group is a fieldset. */
export function ChoicePill({ children, ...input }: ComponentProps<'input'>) {
  return (
    <label>
      <input type="radio" className="visually-hidden" {...input} />
      <span className={styles.pill}>{children}</span>
    </label>
  )
}

/** The pills of a group, which wrap. */
export const choicePills = styles.pills
