import { anchors } from '../../../lib/paths'
import { brand } from '../../../texts/brand'
import { homeFaq as texts } from '../../../texts/home-faq'
import { ButtonLink } from '../../../ui/button'
import { Faq } from '../../../ui/faq'
import styles from './home-faq.module.css'

const questions = Object.entries(texts.items).map(([question, answer]) => ({ question, answer }))

/** The ten questions of the landing page, one open at a time, and whom to ask the eleventh. */
export default function HomeFaq() {
  const aside = (
    <>
      <p className={styles.more}>{texts.more}</p>
      <ButtonLink variant="secondary" href={brand.links.whatsapp_sales}>
        {texts.ask}
      </ButtonLink>
      <div className={styles.close}>
        <svg className={styles.sieve} viewBox="0 0 96 64" fill="none" aria-hidden="true">
          <path fill="var(--mata)" d="M6 12c0 24 16 34 42 34s42-10 42-34z" />
          <path stroke="var(--folha)" strokeWidth="6" strokeLinecap="round" d="M3 12h90" />
          <path
            stroke="var(--menta)"
            strokeWidth="4"
            strokeLinecap="round"
            d="M24 22v.1M36 22v.1M48 22v.1M60 22v.1M72 22v.1M30 31v.1M42 31v.1M54 31v.1M66 31v.1"
          />
          <path fill="var(--ouro)" d="m38 58 4-7 11-2 7 7-4 9-13 1z" />
        </svg>
        <p className={styles.closeTitle}>{texts.close.title}</p>
        <p>{texts.close.text}</p>
        <ButtonLink href={`#${anchors.plans}`}>{texts.close.plans}</ButtonLink>
      </div>
    </>
  )
  return <Faq name="faq" title={texts.title} items={questions} aside={aside} />
}
