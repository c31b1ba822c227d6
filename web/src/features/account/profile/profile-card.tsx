import { useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { maskPhone } from '../../../forms/phone-mask'
import { useAction } from '../../../forms/use-action'
import { useForm } from '../../../forms/use-form'
import { fieldError, isEmail, missingFields } from '../../../forms/validation'
import { formatDate } from '../../../lib/dates'
import { useToasts } from '../../../lib/toasts'
import { useSession } from '../../../session/session'
import { account, logout as logoutTexts } from '../../../texts/account'
import { type EmailFormField, emailCorrectionError, emailForm } from '../../../texts/account-dialogs'
import { editProfile, emailCheck, emailCheckError } from '../../../texts/account-settings'
import { login } from '../../../texts/login'
import { signUp } from '../../../texts/sign-up'
import { Button } from '../../../ui/button'
import { EmailWithHint } from '../../../ui/email-with-hint'
import { type Fact, Facts } from '../../../ui/facts'
import { Field } from '../../../ui/field'
import styles from '../account.module.css'
import { type DialogProps, FormDialog } from '../dialogs/form-dialog'
import { Fold } from '../fold'
import { useLogout } from '../security/use-logout'
import settings from '../settings.module.css'
import { type Profile, refreshAccount } from '../use-account'
import { Photo, ProfileDialog } from './profile-dialog'

/** Photo or placeholder, names, since when, contacts, their editing, and 'Sair'. */
export function ProfileCard({ profile }: { profile: Profile }) {
  const texts = account.profile
  const [editing, setEditing] = useState(false)
  const { leaving, logout } = useLogout()
  const missing = <span className="quiet">{texts.missing}</span>
  const facts: Fact[] = [
    [texts.firstName, profile.firstName || missing],
    [texts.lastName, profile.lastName || missing],
    [texts.email, <Email key="email" address={profile.email} />],
    [texts.phone, profile.phone ? maskPhone(profile.phone) : missing],
  ]
  return (
    <Fold
      label={texts.title}
      head={
        <span className={styles.person}>
          <Photo url={profile.photoUrl} name={profile.displayName} />
          <span>
            <h2 className={styles.name}>{profile.displayName}</h2>
            {profile.createdAt && <span className="quiet">{texts.since(formatDate(profile.createdAt))}</span>}
          </span>
        </span>
      }
      foot={
        <>
          {profile.emailVerified === false && <EmailCheck profile={profile} />}
          <div className={styles.deeds}>
            {/* A profile that could not be read is not overwritten. */}
            {profile.emailVerified !== null && (
              <Button variant="secondary" size="sm" onClick={() => setEditing(true)}>
                {editProfile}
              </Button>
            )}
            <Button variant="quiet" size="sm" className={styles.minor} busy={leaving} onClick={logout}>
              {leaving ? logoutTexts.busy : logoutTexts.button}
            </Button>
          </div>
          {editing && <ProfileDialog profile={profile} onClose={() => setEditing(false)} />}
        </>
      }
    >
      <Facts className={styles.facts} facts={facts} />
    </Fold>
  )
}

/** A long address breaks before its '@', not within a word. */
function Email({ address }: { address: string }) {
  const [name, domain] = address.split('@')
  return (
    <>
      <span>{name}</span>
      <wbr />
      <span>{`@${domain}`}</span>
    </>
  )
}

/** A quiet line while nobody confirmed the email: buying does not wait for it. */
function EmailCheck({ profile }: { profile: Profile }) {
  const [correcting, setCorrecting] = useState(false)
  const { busy, run } = useAction(
    'email',
    async () => {
      await call(({ auth }) => auth.requestEmailVerification({}))
      return { title: emailCheck.sent, description: emailCheck.sentText }
    },
    emailCheckError,
  )
  return (
    <div className={settings.email}>
      <p>
        <strong>{emailCheck.title}</strong>
      </p>
      <p className="quiet">{emailCheck.text}</p>
      <div className={styles.deeds}>
        <Button size="sm" variant="secondary" busy={busy} onClick={run}>
          {busy ? emailCheck.sending : emailCheck.again}
        </Button>
        <Button size="sm" variant="quiet" className={styles.minor} onClick={() => setCorrecting(true)}>
          {emailCheck.correct}
        </Button>
      </div>
      {correcting && <EmailDialog profile={profile} onClose={() => setCorrecting(false)} />}
    </div>
  )
}

/** Another email for an unconfirmed account. */
function EmailDialog({ profile, onClose }: DialogProps & { profile: Profile }) {
  const { show } = useToasts()
  const { recheck } = useSession()
  const [email, setEmail] = useState(profile.email)
  const { bound, field } = useForm<EmailFormField>({
    check: (typed) => {
      const missing = (['email', 'password'] as const).filter((name) => typed(name).trim() === '')
      if (missing.length > 0) return missingFields(missing, login.missing)
      return isEmail(email) ? null : fieldError('email', signUp.errors.email)
    },
    send: async (typed) => {
      const password = typed('password')
      await call(({ auth }) => auth.correctEmail({ newEmail: email, password }))
      await recheck()
      const description = emailForm.savedText(email.trim().toLowerCase())
      show({ kind: 'success', title: emailForm.saved, description })
      onClose()
      refreshAccount()
    },
    explain: (cause) => emailCorrectionError(reasonOf(cause)),
  })

  return (
    <FormDialog texts={emailForm} {...bound} onClose={onClose}>
      <p className="quiet">{emailForm.lead}</p>
      <EmailWithHint
        label={emailForm.email}
        autoComplete="email"
        value={email}
        onType={setEmail}
        {...field('email')}
      />
      <Field
        label={emailForm.password}
        name="password"
        type="password"
        autoComplete="current-password"
        {...field('password')}
      />
    </FormDialog>
  )
}
