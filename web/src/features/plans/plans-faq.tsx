import { brand } from '../../texts/brand'
import { plansFaq as texts } from '../../texts/plans-faq'
import { Accordion } from '../../ui/accordion'
import styles from './plans-faq.module.css'

/** Trial, guarantee, payment, changing plan, and where to ask the rest. */
export default function PlansFaq() {
  return (
    <section className={styles.faq} aria-labelledby="plans-faq-title">
      <h2 id="plans-faq-title">{texts.title}</h2>
      <div>
        <Accordion name="plans-faq" items={texts.items} />
        <p className={styles.help}>
          {texts.helpText}{' '}
          <a href={brand.links.help_center} rel="noopener">
            {texts.helpLink}
          </a>
        </p>
      </div>
    </section>
  )
}
