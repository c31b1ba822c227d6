import { brand } from '../../texts/brand'
import { plansFaq as texts } from '../../texts/plans-faq'
import { Faq } from '../../ui/faq'
import styles from './plans-faq.module.css'

/** Trial, guarantee, payment, changing plan, and where to ask the rest. */
export default function PlansFaq() {
  return (
    <Faq name="plans-faq" title={texts.title} items={texts.items}>
      <p className={styles.help}>
        <span>{texts.helpText}</span> <a href={brand.links.help_center}>{texts.helpLink}</a>
      </p>
    </Faq>
  )
}
