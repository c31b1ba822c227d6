import type { ComponentProps } from 'react'
import { classNames } from '../lib/class-names'
import styles from './card.module.css'

/** A raised surface. */
export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section className={classNames(styles.card, className)} {...rest} />
}

/** The ground of a page that is one column of cards, with the breathing space around it. */
export function CardPage({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={classNames(styles.page, className)} {...rest} />
}
