import { bio as texts } from '../../texts/bio'
import { brand } from '../../texts/brand'
import { SocialLinks } from '../../ui/social-links'
import styles from './bio.module.css'
import { bioLinks } from './bio-links'
import { useYear } from './use-year'

/** Spec section 2, link-in-bio: plain links, so that each is a fresh visit with its utm values. */
export function Bio() {
  const year = useYear()
  return (
    <div className={styles.page}>
      <div className={styles.column}>
        <svg className={styles.logo} viewBox="0 0 96 96" fill="none" aria-hidden="true">
          <circle className={styles.ground} cx="48" cy="48" r="48" />
          <path className={styles.rim} d="M20 36h56" />
          <path className={styles.rim} d="M25 36c0 19 9 29 23 29s23-10 23-29" />
          <path className={styles.holes} d="M36 44.500v.1M48 44.500v.1M60 44.500v.1M42 53v.1M54 53v.1" />
          <circle className={styles.nugget} cx="48" cy="78" r="6.500" />
        </svg>
        <h1 className={styles.title}>{texts.title}</h1>
        <p className={styles.description}>{texts.description}</p>
        <ul className={styles.links} aria-label={texts.list}>
          {bioLinks.map(({ label, url }) => (
            <li key={label}>
              <a className={styles.link} href={url} rel="noopener">
                {label}
              </a>
            </li>
          ))}
        </ul>
        <SocialLinks />
        <p className={styles.rights}>
          {texts.rights(brand.name)} {year ?? <span className={styles.wait}>0000</span>}
        </p>
      </div>
    </div>
  )
}
