import { call, logFailure } from '../../api/call'
import { adsAllowed, consentMessage, markConsentTold } from '../../attribution/consent'
import { attributionMessage } from '../../attribution/touches'
import { track } from '../../attribution/tracking'
import { readKeptPromotion } from '../../catalog/kept-promotion'
import { phoneDigits } from '../../forms/phone-mask'
import type { SignUpValues } from '../../forms/validation'
import { serverNow } from '../../lib/server-clock'
import { useSession } from '../../session/session'

/**
 * Steps 1 to 6 of the sign-up flow. SignUp makes account, record, name and session in one;
 * what follows it is only logged when it fails, and nobody waits for it.
 */
export function useSignUp(): (values: SignUpValues, challengeResponse: string) => Promise<void> {
  const { signedIn } = useSession()
  return async (values, challengeResponse) => {
    const phone = phoneDigits(values.whatsapp)
    const displayName = values.name.trim().replace(/\s+/g, ' ')
    const consent = consentMessage()
    const { user } = await call(({ auth }) =>
      auth.signUp({
        email: values.email.trim().toLowerCase(),
        password: values.password,
        displayName,
        phoneNumber: phone,
        consent,
        attribution: attributionMessage(adsAllowed()),
        promoCode: readKeptPromotion().code ?? '',
        challengeResponse,
      }),
    )
    if (!user) throw new Error('SignUp answered without a user')
    await signedIn(
      { uid: user.uid, email: user.email, displayName: user.displayName },
      { phone: phone || null, registeredAt: serverNow() },
    )
    markConsentTold(user.uid, consent)
    void saveUser(user, phone)
    void track({ name: 'cadastro', key: user.uid })
  }
}

async function saveUser(user: { uid: string; email: string; displayName: string }, phone: string) {
  const [firstName = '', ...rest] = user.displayName.split(' ')
  await call(({ users }) =>
    users.saveUser({
      uid: user.uid,
      email: user.email,
      displayName: user.displayName,
      emailVerified: false,
      phoneNumber: phone || undefined,
      firstName,
      lastName: rest.join(' ') || undefined,
    }),
  ).catch(logFailure('saving the user record failed'))
}
