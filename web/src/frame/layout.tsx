import type { Elements } from '../lib/elements'
import type { Route } from '../routes/routes'
import { site } from '../texts/site'
import Footer from './footer'
import { Header } from './header'
import styles from './layout.module.css'
import { PaymentHeader } from './payment-header'

const CONTENT = 'conteudo'

/** What stands around every page. */
export function Layout({ frame, children }: { frame: Route['frame']; children: Elements }) {
  // In the header, since the question about advertising may stand before it, and outside a landmark none but the first
  // thing may be.
  const skip = (
    <a className={styles.skip} href={`#${CONTENT}`}>
      {site.skip}
    </a>
  )
  return (
    <>
      {frame === 'site' && <Header>{skip}</Header>}
      {frame === 'payment' && <PaymentHeader>{skip}</PaymentHeader>}
      {/* Keyed, because another frame moves the content: it is mounted anew instead of jumping. */}
      <main key={frame} className={styles.main} id={CONTENT}>
        {children}
      </main>
      {frame !== 'bare' && <Footer />}
    </>
  )
}
