import type { ComponentProps } from 'react'
import styles from './form.module.css'

/** Why an action failed, beside its button. */
export function Failure(paragraph: ComponentProps<'p'>) {
  return <p className={styles.failure} {...paragraph} />
}
