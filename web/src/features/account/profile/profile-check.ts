import { isPhone } from '../../../forms/phone-mask'
import { type FormError, fieldError } from '../../../forms/validation'
import { type ProfileField, profileForm } from '../../../texts/account-dialogs'

const PHOTO_MAX = 2048

/** The first rule that a profile breaks, null when it breaks none. The server decides. */
export function checkProfile(values: Record<ProfileField, string>): FormError<ProfileField> | null {
  const { name, whatsapp, photo } = values
  const { errors } = profileForm
  if (name.trim() === '') return fieldError('name', errors.missing)
  if (whatsapp.trim() !== '' && !isPhone(whatsapp)) return fieldError('whatsapp', errors.whatsapp)
  if (photo.trim() !== '' && !photoAddress(photo)) return fieldError('photo', errors.photo)
  return null
}

/** The https address that was typed, null where it is none. */
export function photoAddress(typed: string): string | null {
  const text = typed.trim()
  if (text.length > PHOTO_MAX) return null
  try {
    return new URL(text).protocol === 'https:' ? text : null
  } catch {
    return null
  }
}
