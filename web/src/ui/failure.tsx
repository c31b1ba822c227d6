import type { ComponentProps } from 'react'
import styles from './form.module.css'

/** Why something did not happen, where it was asked for. */
export function Failure(paragraph: ComponentProps<'p'>) {
  return <p className={styles.failure} {...paragraph} />
}
