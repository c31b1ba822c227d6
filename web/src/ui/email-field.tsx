import type { ComponentProps } from 'react'
import { Field } from './field'

/** An email input, without capitals and corrections of a phone's keyboard. */
export function EmailField(field: Omit<ComponentProps<typeof Field>, 'type'>) {
  return (
    <Field name="email" type="email" inputMode="email" autoCapitalize="none" spellCheck={false} {...field} />
  )
}
