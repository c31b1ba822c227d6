import type { ComponentProps } from 'react'
import type { Elements } from '../lib/elements'

/** A line drawing in the text's colour, hidden from screen readers. `children` lie under it. */
export function LineIcon({
  d,
  children,
  ...svg
}: Omit<ComponentProps<'svg'>, 'children'> & { d: string | undefined; children?: Elements }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...svg}
    >
      {children}
      <path d={d} />
    </svg>
  )
}
