import { lazy, Suspense, useEffect, useState } from 'react'
import { paths } from '../../lib/paths'
import { consent as texts } from '../../texts/consent'
import { Button } from '../../ui/button'
import { Link } from '../../ui/link'
import styles from './consent.module.css'
import { useConsent } from './use-consent'

const ConsentDialog = lazy(() => import('./consent-dialog'))

/** The anchor on the privacy page that explains the choice; links to it open the choice itself. */
const PREFERENCES = `${paths.privacy}#preferencias`

/** The question about advertising, until it is answered; not over a payment (`quiet`), where nothing is told meanwhile. */
export default function Consent({ quiet }: { quiet: boolean }) {
  const { asks, allowed, answer } = useConsent()
  const [choosing, setChoosing] = useState(false)

  useEffect(() => {
    if (!asks) return
    const open = (event: MouseEvent) => {
      const link = (event.target as Element).closest('a')
      if (link?.getAttribute('href') !== PREFERENCES || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      event.stopPropagation()
      setChoosing(true)
    }
    document.addEventListener('click', open, { capture: true })
    return () => document.removeEventListener('click', open, { capture: true })
  }, [asks])

  const choose = (allow: boolean) => {
    setChoosing(false)
    answer(allow)
  }
  if (!asks) return null
  return (
    <>
      {allowed === null && !quiet && !choosing && (
        <section className={styles.banner} aria-label={texts.label}>
          <p className={styles.text}>
            {texts.text} <Link to={paths.privacy}>{texts.more}</Link>
          </p>
          <div className={styles.answers}>
            <Button size="sm" variant="secondary" onClick={() => choose(false)}>
              {texts.refuse}
            </Button>
            <Button size="sm" variant="secondary" onClick={() => choose(true)}>
              {texts.accept}
            </Button>
            <Button size="sm" variant="quiet" onClick={() => setChoosing(true)}>
              {texts.choose}
            </Button>
          </div>
        </section>
      )}
      {choosing && (
        <Suspense>
          <ConsentDialog allowed={allowed === true} onClose={() => setChoosing(false)} onChoose={choose} />
        </Suspense>
      )}
    </>
  )
}
