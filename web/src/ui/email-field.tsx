import type { ComponentProps } from 'react'
import { Field } from './field'

/** Where an email is typed: no capitals and no corrections of a phone's keyboard. */
export function EmailField(field: Omit<ComponentProps<typeof Field>, 'type'>) {
  return (
    <Field name="email" type="email" inputMode="email" autoCapitalize="none" spellCheck={false} {...field} />
  )
}
