import { type ComponentProps, useId } from 'react'
import { classNames } from '../lib/class-names'
import styles from './field.module.css'

/** A labelled field for some lines of text. */
export function TextArea({
  label,
  hint,
  ...area
}: Omit<ComponentProps<'textarea'>, 'id'> & { label: string; hint: string }) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className={classNames(styles.input, styles.area)}
        aria-describedby={`${id}-hint`}
        rows={3}
        {...area}
      />
      <p className={styles.hint} id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}
