import { useEffect, useRef, useState } from 'react'
import { useCampaign } from '../attribution/campaign'
import { useAddress } from '../lib/area'
import { clearSelectedPlan, setSelectedPlanAside } from '../lib/browser-storage'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import { type Path, paths } from '../lib/paths'
import { routeOf } from '../routes/routes'
import { useSeemsSignedIn } from '../session/session'
import { brand } from '../texts/brand'
import { header } from '../texts/site'
import { ButtonLink } from '../ui/button'
import { Link } from '../ui/link'
import { Logo } from '../ui/logo'
import styles from './header.module.css'

/** Both auth states, and a menu below 768 px. `children` come first. */
export function Header({ children }: { children: Elements }) {
  const signedIn = useSeemsSignedIn()
  const { pathname } = useAddress()
  const [open, setOpen] = useState(false)
  const toggle = useRef<HTMLButtonElement>(null)
  const here = routeOf(pathname)?.path
  // Where the hero begins in the night, the header takes its ground.
  const isCampaign = useCampaign() === 'black-november'
  const overNight =
    here === paths.promoPlans || here === paths.promoLanding || (isCampaign && here === paths.home)

  // A new page closes the menu. An effect would render a second time before the page is painted.
  const [renderedFor, setRenderedFor] = useState(pathname)
  if (renderedFor !== pathname) {
    setRenderedFor(pathname)
    setOpen(false)
  }
  useEffect(() => {
    if (!open) return
    // Escape closes it, and Tab on to what it lies over: there the key comes up.
    const leave = ({ key, target }: KeyboardEvent) => {
      if (key === 'Escape') toggle.current?.focus()
      else if ((target as Element).closest('header')) return
      setOpen(false)
    }
    addEventListener('keyup', leave)
    return () => removeEventListener('keyup', leave)
  }, [open])

  const entry = (to: Path, text: string, onClick?: () => void) => (
    <li>
      <Link className={styles.link} to={to} onClick={onClick} aria-current={here === to ? 'page' : undefined}>
        {text}
      </Link>
    </li>
  )

  return (
    <header className={classNames(styles.header, overNight && 'at-night')} data-open={open || undefined}>
      {children}
      <div className={styles.bar}>
        <Link className={styles.home} to={paths.home} aria-label={header.home}>
          <Logo />
        </Link>
        <button
          ref={toggle}
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls="menu"
          aria-label={open ? header.closeMenu : header.openMenu}
          onClick={() => setOpen(!open)}
        >
          <span className={styles.lines} aria-hidden="true" />
        </button>
        <nav className={styles.nav} id="menu" aria-label={header.navigation}>
          <ul className={styles.links}>
            {entry(paths.solutions, header.solutions)}
            {entry(paths.plans, header.plans)}
            <li>
              <a className={styles.link} href={brand.links.help_center}>
                {header.help}
              </a>
            </li>
          </ul>
          <ul className={styles.actions}>
            {signedIn
              ? entry(paths.account, header.account)
              : // 'Login' sets the chosen plan aside.
                entry(paths.login, header.login, setSelectedPlanAside)}
            {!signedIn && (
              <li className={styles.trial}>
                <ButtonLink size="sm" wide to={paths.signUp} onClick={clearSelectedPlan}>
                  {header.trial}
                </ButtonLink>
              </li>
            )}
            <li>
              {/* Secondary for a visitor, because the page's own action comes first. */}
              <ButtonLink
                size="sm"
                variant={signedIn ? 'primary' : 'secondary'}
                className={styles.app}
                href={brand.links.app_login}
              >
                {header.app}
              </ButtonLink>
            </li>
          </ul>
        </nav>
      </div>
    </header>
  )
}

/**
 * The header of pages on which somebody pays. Its links load documents, because these pages have
 * a policy of their own.
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
