import { useState } from 'react'
import { account } from '../../../texts/account'
import styles from '../account.module.css'

/** The person's photo; their initials without one, and where it does not open. */
export function Photo({ url, name, onBroken }: { url: string | null; name: string; onBroken?: () => void }) {
  const [broken, setBroken] = useState<string | null>(null)
  if (!url || url === broken)
    return (
      <span className={styles.photo} aria-hidden="true">
        {initials(name)}
      </span>
    )
  return (
    <img
      className={styles.photo}
      src={url}
      alt={account.profile.photo(name)}
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
