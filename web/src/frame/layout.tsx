import type { Elements } from '../lib/elements'
import { PREFERENCES, paths } from '../lib/paths'
import type { Route } from '../routes/routes'
import { brand } from '../texts/brand'
import { footer, site } from '../texts/site'
import { Logo } from '../ui/logo'
import { SocialLinks } from '../ui/social-links'
import footerStyles from './footer.module.css'
import { Header, PaymentHeader } from './header'
import styles from './layout.module.css'

const CONTENT = 'conteudo'

/** Header, footer and main landmark of every page. */
export function Layout({ frame, children }: { frame: Route['frame']; children: Elements }) {
  // In the header, because only the first element of a page may be outside a landmark, and the
  // question about advertising may be before this link.
  const skip = (
    <a className={styles.skip} href={`#${CONTENT}`}>
      {site.skip}
    </a>
  )
  return (
    <>
      {frame === 'site' && <Header>{skip}</Header>}
      {frame === 'payment' && <PaymentHeader>{skip}</PaymentHeader>}
      {/* Keyed, because another frame would move the content. Focusable for the skip link. */}
      <main key={frame} className={styles.main} id={CONTENT} tabIndex={-1}>
        {children}
      </main>
      {frame !== 'bare' && <Footer />}
    </>
  )
}

/** Links, social links and contacts. */
function Footer() {
  const entry = (to: string, text: string) => (
    <li>
      <a className={footerStyles.link} href={to}>
        {text}
      </a>
    </li>
  )

  return (
    <footer className={footerStyles.footer}>
      <div className={footerStyles.inner}>
        <div className={footerStyles.about}>
          <Logo />
          <p>{brand.tagline}</p>
        </div>
        <nav aria-label={footer.product}>
          <h2 className={footerStyles.heading}>{footer.product}</h2>
          <ul>
            {entry(paths.home, footer.home)}
            {entry(paths.solutions, footer.solutions)}
            {entry(paths.plans, footer.plans)}
            {entry(brand.links.help_center, footer.help)}
          </ul>
        </nav>
        <nav aria-label={footer.company}>
          <h2 className={footerStyles.heading}>{footer.company}</h2>
          <ul>
            {entry(paths.about, footer.about)}
            {entry(paths.terms, footer.terms)}
            {entry(paths.privacy, footer.privacy)}
            {entry(PREFERENCES, footer.preferences)}
          </ul>
        </nav>
        <div className={footerStyles.contact}>
          <h2 className={footerStyles.heading}>{footer.contact}</h2>
          <ul>
            {entry(`mailto:${brand.email}`, brand.email)}
            {entry(brand.links.whatsapp_support, brand.phone)}
          </ul>
          <SocialLinks />
        </div>
      </div>
      <div className={footerStyles.legal}>
        <p>{footer.rights(brand.legal_name)}</p>
        <p>{footer.taxId(brand.tax_id)}</p>
        <address>{brand.address}</address>
      </div>
    </footer>
  )
}
