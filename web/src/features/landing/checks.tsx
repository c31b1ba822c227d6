import type { ComponentProps } from 'react'
import { LineIcon } from '../../ui/line-icon'

/** Sent and delivered, as chats show it. */
export function Checks(svg: Omit<ComponentProps<typeof LineIcon>, 'd'>) {
  return (
    <LineIcon
      viewBox="0 0 18 12"
      width="18"
      height="12"
      d="m1 6.500 3.500 3.500L11 2.500M8 9l1 1 7-7.500"
      {...svg}
    />
  )
}
