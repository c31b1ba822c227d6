import { classNames } from '../../lib/class-names'
import type { Elements } from '../../lib/elements'
import { login as texts } from '../../texts/login'
import { Button } from '../../ui/button'
import { Card, CardPage } from '../../ui/card'
import { Sieve } from '../../ui/sieve'
import styles from './auth-page.module.css'

/**
 * The frame of /login, /cadastro and recovery: what the page is for, the form in a card, and beside
 * it what it leads to.
 */
export function AuthPage({
  title,
  lead,
  aside,
  children,
}: {
  title: string
  lead?: string
  aside?: Elements
  children: Elements
}) {
  return (
    <CardPage className={aside ? styles.split : styles.single}>
      <Card className={styles.card}>
        <header className="stack">
          <h1 className="title-md">{title}</h1>
          {lead && <p className={classNames(styles.lead, 'held')}>{lead}</p>}
        </header>
        <div className={classNames(styles.content, 'held')}>{children}</div>
      </Card>
      {aside ? (
        <aside className={styles.aside}>{aside}</aside>
      ) : (
        <div className={styles.pan}>
          <Sieve gravel nuggets width={380} />
        </div>
      )}
    </CardPage>
  )
}

/** Google is announced and not there yet: the button is disabled. */
export function GoogleButton({ label, or }: { label: string; or: string }) {
  return (
    <>
      <p className={styles.or}>
        <span>{or}</span>
      </p>
      <Button variant="secondary" wide disabled>
        <svg viewBox="0 0 24 24" width="20" height="20" fill="currentColor" aria-hidden="true">
          <path d="M12 10.2v3.9h5.5c-.3 1.5-1.8 4.2-5.5 4.2a6.3 6.3 0 0 1 0-12.6c2 0 3.300.8 4.100 1.600l2.700-2.700A9.900 9.900 0 0 0 12 2a10 10 0 1 0 0 20c5.800 0 9.600-4.100 9.600-9.800 0-.7-.1-1.300-.2-2H12Z" />
        </svg>
        <span>{label}</span>
        <span className={styles.soon}>{texts.googleSoon}</span>
      </Button>
    </>
  )
}
