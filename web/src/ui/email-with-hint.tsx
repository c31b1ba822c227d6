import { type ComponentProps, useState } from 'react'
import { meantEmail } from '../forms/email-hint'
import { useTypedEarly } from '../lib/use-typed-early'
import { signUp as texts } from '../texts/sign-up'
import { EmailField } from './email-field'
import styles from './email-with-hint.module.css'

/** The email of a sign-up. Asks about a mistyped domain, and a press corrects it. */
export function EmailWithHint({
  value,
  onType,
  ...field
}: Omit<ComponentProps<typeof EmailField>, 'value'> & { value: string; onType: (email: string) => void }) {
  // The value with which the visitor left for another field. A press on the form's button does not
  // count: the hint would move the button away from under it.
  const [left, setLeft] = useState('')
  const early = useTypedEarly(onType)
  const meant = meantEmail(value)
  // 'ana@hotmail.co' is on its way to the rest.
  const isUnfinished = meant?.startsWith(value.trim().toLowerCase()) && left !== value
  return (
    <div>
      <EmailField
        ref={early}
        value={value}
        onChange={(event) => onType(event.currentTarget.value)}
        onBlur={({ relatedTarget }) => relatedTarget instanceof HTMLInputElement && setLeft(value)}
        {...field}
      />
      <div role="status">
        {meant && !isUnfinished && (
          <button
            type="button"
            className={styles.meant}
            onClick={({ currentTarget }) => {
              onType(meant)
              currentTarget.form?.querySelector<HTMLInputElement>('[name=email]')?.focus()
            }}
          >
            {texts.meant(meant)}
          </button>
        )}
      </div>
    </div>
  )
}
