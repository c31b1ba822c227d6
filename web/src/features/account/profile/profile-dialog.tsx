import { useEffect, useState } from 'react'
import { AppError, reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { phoneDigits } from '../../../forms/phone-mask'
import { type Typed, useForm } from '../../../forms/use-form'
import { PHOTO_PREVIEW_MS } from '../../../lib/timers'
import { useToasts } from '../../../lib/toasts'
import { account as accountTexts } from '../../../texts/account'
import { type ProfileField, profileError, profileForm as texts } from '../../../texts/account-dialogs'
import { fixedEmail } from '../../../texts/account-settings'
import { Field } from '../../../ui/field'
import { PhoneField } from '../../../ui/phone-field'
import accountStyles from '../account.module.css'
import { type DialogProps, FormDialog } from '../dialogs/form-dialog'
import styles from '../settings.module.css'
import { type Profile, refreshAccount } from '../use-account'
import { checkProfile, photoAddress } from './profile-check'

/** The name, the WhatsApp and the photo, to be changed. */
export function ProfileDialog({ profile, onClose }: DialogProps & { profile: Profile }) {
  const { show } = useToasts()
  const { bound, field } = useForm<ProfileField>({
    check: (typed) => checkProfile(valuesOf(typed)),
    send: async (typed) => {
      const { name, whatsapp, photo } = valuesOf(typed)
      await call(({ users }) =>
        users.saveUser({
          uid: profile.uid,
          email: profile.email,
          displayName: name.trim(),
          // Blank takes it away.
          phoneNumber: phoneDigits(whatsapp),
          photoUrl: photo.trim(),
        }),
      )
      show({ kind: 'success', title: texts.saved })
      onClose()
      refreshAccount()
    },
    explain: (cause) => profileError(reasonOf(cause), cause instanceof AppError ? cause.fields : {}),
  })
  return (
    <FormDialog texts={texts} {...bound} onClose={onClose}>
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

function valuesOf(typed: Typed): Record<ProfileField, string> {
  return { name: typed('name'), whatsapp: typed('whatsapp'), photo: typed('photo') }
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
      // The photo's host gets no address of our pages.
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
