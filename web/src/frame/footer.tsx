import { PREFERENCES, paths } from '../lib/paths'
import { brand } from '../texts/brand'
import { footer } from '../texts/site'
import { Logo } from '../ui/logo'
import { SocialLinks } from '../ui/social-links'
import styles from './footer.module.css'

/** Links, social links and contacts. */
export default function Footer() {
  const entry = (to: string, text: string) => (
    <li>
      <a className={styles.link} href={to}>
        {text}
      </a>
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
            {entry(brand.links.help_center, footer.help)}
          </ul>
        </nav>
        <nav aria-label={footer.company}>
          <h2 className={styles.heading}>{footer.company}</h2>
          <ul>
            {entry(paths.about, footer.about)}
            {entry(paths.terms, footer.terms)}
            {entry(paths.privacy, footer.privacy)}
            {entry(PREFERENCES, footer.preferences)}
          </ul>
        </nav>
        <div className={styles.contact}>
          <h2 className={styles.heading}>{footer.contact}</h2>
          <ul>
            {entry(`mailto:${brand.email}`, brand.email)}
            {entry(brand.links.whatsapp_support, brand.phone)}
          </ul>
          <SocialLinks />
        </div>
      </div>
      <div className={styles.legal}>
        <p>{footer.rights(brand.legal_name)}</p>
        <p>{footer.taxId(brand.tax_id)}</p>
        <address>{brand.address}</address>
      </div>
    </footer>
  )
}
