import { formatDate } from '../../lib/dates'
import { maskPhone } from '../../lib/phone-mask'
import { account } from '../../texts/account'
import { logout as logoutTexts } from '../../texts/login'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'
import styles from './account.module.css'
import type { Profile } from './use-account'
import { useLogout } from './use-logout'

/** Photo or placeholder, names, since when, contacts, and 'Sair'. Spec section 2, user area. */
export function ProfileCard({ profile }: { profile: Profile }) {
  const texts = account.profile
  const { leaving, logout } = useLogout()
  const facts = [
    [texts.firstName, profile.firstName],
    [texts.lastName, profile.lastName],
    [texts.email, <Email key="email" address={profile.email} />],
    [texts.phone, profile.phone && maskPhone(profile.phone)],
  ] as const
  return (
    <Card className={styles.card} aria-label={texts.title}>
      <div className={styles.person}>
        {profile.photoUrl ? (
          <img
            className={styles.photo}
            src={profile.photoUrl}
            alt={texts.photo(profile.displayName)}
            width={64}
            height={64}
          />
        ) : (
          <span className={styles.photo} aria-hidden="true">
            {initials(profile.displayName)}
          </span>
        )}
        <div>
          <h2 className={styles.name}>{profile.displayName}</h2>
          {profile.createdAt && <p className={styles.quiet}>{texts.since(formatDate(profile.createdAt))}</p>}
        </div>
      </div>
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value || <span className={styles.quiet}>{texts.missing}</span>}</dd>
          </div>
        ))}
      </dl>
      <Button variant="secondary" busy={leaving} onClick={logout}>
        {leaving ? logoutTexts.busy : logoutTexts.button}
      </Button>
    </Card>
  )
}

/** A long address breaks before its '@', not within a word. */
function Email({ address }: { address: string }) {
  const [name, domain] = address.split('@')
  return (
    <>
      {name}
      <wbr />@{domain}
    </>
  )
}

/** 'AS' for Ana Maria Souza. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.charAt(0) ?? '')
  return letters.join('').toUpperCase()
}
