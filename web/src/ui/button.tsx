import type { ComponentProps } from 'react'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
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

type ButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-disabled'> &
  Look & {
    /** Shows the sieve beside the text. */
    busy?: boolean
    /** For a button that may have the focus: `disabled` would take the focus from it. */
    'aria-disabled'?: boolean
    children: string | Elements
  }

/** A button. While it is `busy` or `aria-disabled`, a press does nothing and it keeps the focus. */
export function Button({
  variant,
  size,
  wide,
  busy = false,
  className,
  children,
  disabled = false,
  'aria-disabled': ariaDisabled = false,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const isOff = busy || ariaDisabled
  return (
    <button
      type={type}
      className={look({ variant, size, wide }, className)}
      disabled={disabled && !isOff}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      // Without the default action no form is sent, neither by a press nor by Enter in a field.
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {busy && <Spinner size="sm" />}
      {typeof children === 'string' ? <span>{children}</span> : children}
    </button>
  )
}

/**
 * A link that looks like a button. `href` leaves the site or loads a document, `to` stays in the
 * app.
 */
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
