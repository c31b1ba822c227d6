import { useEffect, useState } from 'react'
import { classNames } from '../../lib/class-names'
import { loadConfig } from '../../lib/config'
import { yearInSaoPaulo } from '../../lib/dates'
import type { Elements } from '../../lib/elements'
import { PREFERENCES } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { bio as texts } from '../../texts/bio'
import { brand } from '../../texts/brand'
import { footer } from '../../texts/site'
import { Sieve } from '../../ui/sieve'
import { SocialLinks } from '../../ui/social-links'
import styles from './bio.module.css'
import { bioLinks } from './bio-links'

/**
 * The link-in-bio page: plain links, so that each is a fresh visit with its utm values, and the
 * product.
 */
export function Bio({ picture }: { picture: Elements }) {
  const year = useYear()
  return (
    <div className={classNames(styles.page, 'at-night')}>
      <div className={styles.column}>
        <Sieve className={styles.sieve} gravel nuggets width={152} />
        <h1 className={styles.title}>{texts.title}</h1>
        <p className={styles.description}>{texts.description}</p>
        <ul className={styles.links} aria-label={texts.list}>
          {bioLinks.map(({ label, url }) => (
            <li key={label}>
              <a className={styles.link} href={url}>
                {label}
              </a>
            </li>
          ))}
        </ul>
        <SocialLinks />
        <p className={styles.rights}>
          <a href={PREFERENCES}>{footer.preferences}</a>
          <span>{texts.rights(brand.name)}</span>{' '}
          <span className={year ? undefined : styles.wait}>{year ?? '0000'}</span>
        </p>
      </div>
      <div className={styles.picture}>{picture}</div>
    </div>
  )
}

/** The year in São Paulo by the product's clock; null until it is known, also in the built page. */
function useYear(): string | null {
  const [year, setYear] = useState<string | null>(null)
  useEffect(() => {
    const show = () => setYear(yearInSaoPaulo(serverNow()))
    loadConfig().then(show, show)
  }, [])
  return year
}
