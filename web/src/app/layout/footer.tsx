import { type Path, paths } from '../../lib/paths'
import { brand } from '../../texts/brand'
import { footer } from '../../texts/site'
import { Link } from '../../ui/link'
import { Logo } from '../../ui/logo'
import { isBuilt } from '../routes'
import styles from './footer.module.css'

/** Spec section 2, footer: links, social links and contacts. Links only what exists. A static part: no hooks. */
export default function Footer() {
  const entry = (to: Path, text: string) =>
    isBuilt(to) && (
      <li>
        <Link className={styles.link} to={to}>
          {text}
        </Link>
      </li>
    )

  return (
    <footer className={styles.footer}>
      <div className={styles.inner}>
        <div className={styles.about}>
          <Logo />
          <p>{brand.tagline}</p>
        </div>
        <nav aria-label={footer.product}>
          <h2 className={styles.heading}>{footer.product}</h2>
          <ul>
            {entry(paths.home, footer.home)}
            {entry(paths.solutions, footer.solutions)}
            {entry(paths.plans, footer.plans)}
            <li>
              <a className={styles.link} href={brand.links.help_center} rel="noopener">
                {footer.help}
              </a>
            </li>
          </ul>
        </nav>
        {[paths.about, paths.terms, paths.privacy].some(isBuilt) && (
          <nav aria-label={footer.company}>
            <h2 className={styles.heading}>{footer.company}</h2>
            <ul>
              {entry(paths.about, footer.about)}
              {entry(paths.terms, footer.terms)}
              {entry(paths.privacy, footer.privacy)}
            </ul>
          </nav>
        )}
        <div>
          <h2 className={styles.heading}>{footer.contact}</h2>
          <ul>
            <li>
              <a className={styles.link} href={`mailto:${brand.email}`}>
                {brand.email}
              </a>
            </li>
            <li>
              <a className={styles.link} href={brand.links.whatsapp_support} rel="noopener">
                {brand.phone}
              </a>
            </li>
          </ul>
          <ul className={styles.socials} aria-label={footer.social}>
            {brand.socials.map(({ platform, name, url }) => (
              <li key={platform}>
                <a className={styles.social} href={url} rel="noopener">
                  <span className="visually-hidden">{name}</span>
                  <svg viewBox="0 0 24 24" width="20" height="20" fill="none" aria-hidden="true">
                    <path
                      d={SOCIAL_PATHS[platform] ?? ''}
                      stroke="currentColor"
                      strokeWidth="1.8"
                      strokeLinecap="round"
                      strokeLinejoin="round"
                    />
                  </svg>
                </a>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div className={styles.legal}>
        <p>{footer.rights(brand.legal_name)}</p>
        <p>{footer.taxId(brand.tax_id)}</p>
      </div>
    </footer>
  )
}

/** Plain line drawings, not the platforms' logos. */
const SOCIAL_PATHS: Record<string, string> = {
  tiktok: 'M14 4v10.5a3.5 3.5 0 1 1-3.5-3.5M14 4c.4 2.6 2 4.2 4.5 4.5',
  youtube: 'M4.5 6.5h15a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-15a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2ZM10 9.5v5l4.5-2.5z',
  instagram:
    'M8 3.5h8A4.5 4.5 0 0 1 20.5 8v8a4.5 4.5 0 0 1-4.5 4.5H8A4.5 4.5 0 0 1 3.5 16V8A4.5 4.5 0 0 1 8 3.5ZM12 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM17 7v.1',
  facebook:
    'M13.5 21v-8H17M13.5 13H10M13.5 13V8.5A2.5 2.5 0 0 1 16 6h1.5M3.5 12a8.5 8.5 0 1 0 17 0 8.5 8.5 0 0 0-17 0Z',
}
