import { anchors, paths } from '../../../lib/paths'
import { brand } from '../../../texts/brand'
import { features as texts } from '../../../texts/features'
import { ButtonLink } from '../../../ui/button'
import styles from './feature-list.module.css'
import { GrowthArt } from './growth-art'

/** Every feature by what it is for, and where to get help. Static. */
export default function FeatureList() {
  return (
    <section className={styles.section} aria-labelledby="features-title">
      <div className={styles.head}>
        <div className={styles.words}>
          <h2 id="features-title">{texts.title}</h2>
          <p className="lead">
            <span>{texts.lead}</span> <a href={`${paths.plans}#${anchors.comparison}`}>{texts.compare}</a>
          </p>
        </div>
        <GrowthArt />
      </div>
      <div className={styles.groups}>
        {texts.groups.map(({ title, items }) => (
          <div key={title}>
            <h3 className={styles.group}>{title}</h3>
            <dl>
              {items.map(({ name, text }) => (
                <div className={styles.item} key={name}>
                  <dt>{name}</dt>
                  <dd className="quiet">{text}</dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </div>
      <div className={styles.support}>
        <div>
          <h3 className={styles.supportTitle}>{texts.support.title}</h3>
          <p>{texts.support.text}</p>
        </div>
        <div className="actions">
          <ButtonLink href={brand.links.whatsapp_support}>{texts.support.whatsapp}</ButtonLink>
          <ButtonLink variant="secondary" href={brand.links.help_center}>
            {texts.support.help}
          </ButtonLink>
        </div>
      </div>
    </section>
  )
}
