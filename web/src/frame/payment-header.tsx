import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import { paths } from '../lib/paths'
import { useSeemsSignedIn } from '../session/session'
import { brand } from '../texts/brand'
import { header } from '../texts/site'
import { Logo } from '../ui/logo'
import styles from './header.module.css'

/**
 * The header of pages on which somebody pays. Its links load their pages anew, because these pages have a policy of
 * their own.
 */
export function PaymentHeader({ children }: { children: Elements }) {
  const signedIn = useSeemsSignedIn()
  return (
    <header className={classNames(styles.header, styles.still)}>
      {children}
      <div className={styles.bar}>
        <a className={styles.home} href={paths.home} aria-label={header.home}>
          <Logo />
        </a>
        <nav aria-label={header.navigation}>
          <ul className={styles.few}>
            <li>
              <a className={styles.link} href={brand.links.help_center}>
                {header.help}
              </a>
            </li>
            {signedIn && (
              <li>
                <a className={styles.link} href={paths.account}>
                  {header.account}
                </a>
              </li>
            )}
          </ul>
        </nav>
      </div>
    </header>
  )
}
