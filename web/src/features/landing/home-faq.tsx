import { brand } from '../../texts/brand'
import { homeFaq as texts } from '../../texts/home-faq'
import { ButtonLink } from '../../ui/button'
import { Faq } from '../../ui/faq'
import styles from './home-faq.module.css'

/** The ten questions of the landing page, one open at a time, and whom to ask the eleventh. */
export default function HomeFaq() {
  const aside = (
    <>
      <p className={styles.more}>{texts.more}</p>
      <ButtonLink variant="secondary" href={brand.links.whatsapp_sales} rel="noopener">
        {texts.ask}
      </ButtonLink>
    </>
  )
  return <Faq name="faq" title={texts.title} items={texts.items} aside={aside} />
}
