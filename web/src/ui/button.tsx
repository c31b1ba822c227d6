import type { ComponentProps } from 'react'
import { classNames } from '../lib/class-names'
import styles from './button.module.css'
import { Link } from './link'
import { Spinner } from './spinner'

interface Look {
  /** `primary` is the page's one main action; `gold` and `light` are for dark grounds alone. */
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger' | 'gold' | 'light'
  size?: 'md' | 'lg' | 'sm'
  /** As wide as its place. */
  wide?: boolean
}

function look({ variant = 'primary', size = 'md', wide = false }: Look, className?: string): string {
  return classNames(styles.button, styles[variant], styles[size], wide && styles.wide, className)
}

/** A button; while `busy` it cannot be pressed again and shows the sieve beside its text. */
export function Button({
  variant,
  size,
  wide,
  busy = false,
  className,
  children,
  disabled,
  type = 'button',
  ...rest
}: ComponentProps<'button'> & Look & { busy?: boolean }) {
  return (
    <button
      type={type}
      className={look({ variant, size, wide }, className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy && <Spinner size="sm" />}
      {children}
    </button>
  )
}

/** A link that looks like a button. `href` leaves the site or loads the page anew, `to` stays in the app. */
export function ButtonLink({
  variant,
  size,
  wide,
  className,
  ...rest
}: Look & (ComponentProps<typeof Link> | (ComponentProps<'a'> & { to?: never }))) {
  const name = look({ variant, size, wide }, className)
  if (rest.to !== undefined) return <Link className={name} {...rest} />
  return <a className={name} {...rest} />
}
