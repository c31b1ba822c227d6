import type { ComponentProps } from 'react'
import { passwordHint } from '../forms/validation'
import { Field } from './field'

/** A password that is chosen: while it breaks a rule, a live message says which. */
export function ChosenPasswordField({
  value,
  error,
  ...field
}: Omit<ComponentProps<typeof Field>, 'name' | 'value'> & { value: string }) {
  return (
    <Field
      name="password"
      type="password"
      autoComplete="new-password"
      live
      value={value}
      error={passwordHint(value) ?? error}
      {...field}
    />
  )
}
