import { type ComponentProps, useId, useState } from 'react'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import { field as texts } from '../texts/site'
import '../styles/font-of-names.css'
import styles from './field.module.css'
import { LineIcon } from './line-icon'

type FieldProps = Omit<ComponentProps<'input'>, 'id'> & {
  label: string
  /** Shown beside the field and tied to it; null when it is right. */
  error?: string | Elements
  hint?: string
  /** The error is read out as it appears (a live message), not only when the form is sent. */
  live?: boolean
}

/** A labelled input with its error beside it. Forms are noValidate: our messages appear here. */
export function Field({
  label,
  error = null,
  hint,
  live = false,
  type = 'text',
  className,
  'aria-invalid': invalid,
  ...input
}: FieldProps) {
  const id = useId()
  const [shown, setShown] = useState(false)
  const secret = type === 'password'
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={classNames(styles.field, className)}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box}>
        <input
          id={id}
          className={classNames(styles.input, secret && styles.secret)}
          type={secret && shown ? 'text' : type}
          aria-invalid={error ? true : invalid}
          aria-describedby={described || undefined}
          autoComplete={secret ? 'current-password' : undefined}
          autoCapitalize={input.autoComplete === 'name' ? 'words' : undefined}
          // Label of a phone's Enter key: in our forms a password comes last.
          enterKeyHint={secret ? 'go' : 'next'}
          {...input}
        />
        {secret && (
          <button
            type="button"
            className={styles.reveal}
            aria-label={shown ? texts.hidePassword : texts.showPassword}
            onClick={() => setShown(!shown)}
          >
            <LineIcon width="22" height="22" d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12Z">
              <circle cx="12" cy="12" r="2.8" />
              {shown && <path d="m4 4 16 16" />}
            </LineIcon>
          </button>
        )}
      </div>
      {hint && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p className={styles.error} id={`${id}-error`} aria-live={live ? 'polite' : undefined}>
        {error}
      </p>
    </div>
  )
}
