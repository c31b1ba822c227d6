import { type ComponentProps, useId } from 'react'
import styles from './field.module.css'

/** A labelled choice of a short list; its first entry chooses nothing. */
export function SelectField({
  label,
  options,
  none,
  ...select
}: Omit<ComponentProps<'select'>, 'id'> & {
  label: string
  options: readonly string[]
  none: string
}) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <select id={id} className={styles.input} {...select}>
        <option value="">{none}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </div>
  )
}
