import { anchors } from '../../../lib/paths'
import { brand } from '../../../texts/brand'
import { homeFaq as texts } from '../../../texts/home-faq'
import { ButtonLink } from '../../../ui/button'
import { Faq } from '../../../ui/faq'
import { Sieve } from '../../../ui/sieve'
import styles from './home-faq.module.css'

const questions = Object.entries(texts.items).map(([question, answer]) => ({ question, answer }))

/** The ten questions of the landing page, one open at a time, and whom to ask the eleventh. */
export default function HomeFaq() {
  const aside = (
    <>
      <div className={styles.ask}>
        <p>{texts.more}</p>
        <ButtonLink variant="secondary" href={brand.links.whatsapp_sales}>
          {texts.ask}
        </ButtonLink>
      </div>
      <div className={styles.close}>
        <Sieve className={styles.sieve} nuggets />
        <p className={styles.closeTitle}>{texts.close.title}</p>
        <p>{texts.close.text}</p>
        <ButtonLink href={`#${anchors.plans}`}>{texts.close.plans}</ButtonLink>
      </div>
    </>
  )
  return <Faq name="faq" title={texts.title} items={questions} aside={aside} />
}
