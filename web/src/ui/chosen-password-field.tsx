import { type ComponentProps, useState } from 'react'
import { passwordHint } from '../forms/validation'
import { useTypedEarly } from '../lib/use-typed-early'
import { Field } from './field'

/** A new password. While it breaks a rule, a live message with the rule replaces the hint. */
export function ChosenPasswordField({ error, hint, ...field }: Omit<ComponentProps<typeof Field>, 'name'>) {
  const [typed, setTyped] = useState('')
  const early = useTypedEarly(setTyped)
  const wrong = passwordHint(typed) ?? error
  return (
    <Field
      ref={early}
      name="password"
      type="password"
      autoComplete="new-password"
      live
      onChange={(event) => setTyped(event.currentTarget.value)}
      error={wrong}
      hint={wrong ? undefined : hint}
      {...field}
    />
  )
}

/** The same, typed twice. */
export function NewPasswordFields({
  texts,
  field,
}: {
  texts: { password: string; repeated: string }
  field: (name: 'password' | 'repeated') => Partial<ComponentProps<typeof Field>>
}) {
  return (
    <>
      <ChosenPasswordField label={texts.password} {...field('password')} />
      <Field
        label={texts.repeated}
        name="repeated"
        type="password"
        autoComplete="new-password"
        {...field('repeated')}
      />
    </>
  )
}
