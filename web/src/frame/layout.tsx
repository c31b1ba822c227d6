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
      {/* Another frame has its content elsewhere: what waits there comes anew instead of jumping. */}
      {/* Focusable, because the skip link moves the focus here. */}
      <main key={frame} className={styles.main} id={CONTENT} tabIndex={-1}>
        {children}
      </main>
      {frame !== 'bare' && <Footer />}
    </>
  )
}
