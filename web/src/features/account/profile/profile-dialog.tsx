import { useEffect, useState } from 'react'
import { AppError, reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { phoneDigits } from '../../../forms/phone-mask'
import { PHOTO_PREVIEW_MS } from '../../../lib/timers'
import { useToasts } from '../../../lib/toasts'
import { account as accountTexts } from '../../../texts/account'
import { type ProfileField, profileError, profileForm as texts } from '../../../texts/account-dialogs'
import { fixedEmail } from '../../../texts/account-settings'
import { Field } from '../../../ui/field'
import type { Typed } from '../../../ui/form'
import { PhoneField } from '../../../ui/phone-field'
import accountStyles from '../account.module.css'
import { type DialogProps, FormDialog, useDialogForm } from '../dialogs/form-dialog'
import styles from '../settings.module.css'
import type { Profile } from '../use-account'
import { checkProfile, photoAddress } from './profile-check'

/** The name, the WhatsApp and the photo, to be changed. `onSaved` reads the account again. */
export function ProfileDialog({
  profile,
  open,
  onClose,
  onSaved,
}: DialogProps & { profile: Profile; onSaved: () => void }) {
  const { show } = useToasts()
  const { dialog, setError, field, send, done } = useDialogForm<ProfileField>(onClose)

  const save = async (typed: Typed) => {
    const values = { name: typed('name'), whatsapp: typed('whatsapp'), photo: typed('photo') }
    const wrong = checkProfile(values)
    if (wrong) return setError(wrong)
    const sent = await send(
      () =>
        call(({ users }) =>
          users.saveUser({
            uid: profile.uid,
            email: profile.email,
            displayName: values.name.trim(),
            // Blank takes it away.
            phoneNumber: phoneDigits(values.whatsapp),
            photoUrl: values.photo.trim(),
          }),
        ),
      (cause) => profileError(reasonOf(cause), cause instanceof AppError ? cause.fields : {}),
    )
    if (!sent) return
    show({ kind: 'success', title: texts.saved })
    done()
    onSaved()
  }

  return (
    <FormDialog open={open} texts={texts} {...dialog} onSubmit={save}>
      <Field
        label={texts.name}
        name="name"
        autoComplete="name"
        maxLength={120}
        defaultValue={profile.displayName}
        {...field('name')}
      />
      <PhoneField
        label={texts.whatsapp}
        placeholder={texts.whatsappPlaceholder}
        defaultValue={profile.phone ?? ''}
        {...field('whatsapp')}
      />
      <PhotoField profile={profile} {...field('photo')} />
      {profile.emailVerified && <p className="quiet">{fixedEmail}</p>}
    </FormDialog>
  )
}

/** The photo's address and how it looks, once the typing rests. */
function PhotoField({ profile, ...error }: { profile: Profile; error: string | null }) {
  const [typed, setTyped] = useState(profile.photoUrl ?? '')
  const [rested, setRested] = useState(typed)
  const [broken, setBroken] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), PHOTO_PREVIEW_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const url = photoAddress(rested)
  return (
    <>
      <Field
        label={texts.photo}
        name="photo"
        type="url"
        inputMode="url"
        autoComplete="photo"
        autoCapitalize="none"
        spellCheck={false}
        placeholder={texts.photoPlaceholder}
        hint={texts.photoHint}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        {...error}
      />
      <div className={styles.preview}>
        <Photo url={url} name={profile.displayName} onBroken={() => setBroken(url)} />
        <p aria-live="polite">{url && url === broken ? texts.photoBroken : texts.preview}</p>
      </div>
    </>
  )
}

/** The person's photo; their initials without one, and where it does not open. */
export function Photo({ url, name, onBroken }: { url: string | null; name: string; onBroken?: () => void }) {
  const [broken, setBroken] = useState<string | null>(null)
  if (!url || url === broken)
    return (
      <span className={accountStyles.photo} aria-hidden="true">
        {initials(name)}
      </span>
    )
  return (
    <img
      className={accountStyles.photo}
      src={url}
      alt={accountTexts.profile.photo(name)}
      width={64}
      height={64}
      // The photo's host need not know who looks at it from where.
      referrerPolicy="no-referrer"
      onError={() => {
        setBroken(url)
        onBroken?.()
      }}
    />
  )
}

/** 'AS' for Ana Maria Souza. What begins with no letter has no initial. */
function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word))
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => [...(word ?? '')][0] ?? '',
  )
  return letters.join('').toUpperCase()
}
