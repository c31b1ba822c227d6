import type { ComponentProps } from 'react'
import { classNames } from '../lib/class-names'
import styles from './card.module.css'

/** A raised surface. `narrow` is the width of a form, centred. */
export function Card({
  narrow = false,
  className,
  ...rest
}: ComponentProps<'section'> & { narrow?: boolean }) {
  return <section className={classNames(styles.card, narrow && styles.narrow, className)} {...rest} />
}

/** The ground of a page that is one column of cards, with the breathing space around it. */
export function CardPage({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={classNames(styles.page, className)} {...rest} />
}
