import { anchors, paths } from '../../../lib/paths'
import { brand } from '../../../texts/brand'
import { features as texts } from '../../../texts/features'
import { ButtonLink } from '../../../ui/button'
import styles from './feature-list.module.css'
import art from './growth-art.module.css'

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

const growth = texts.growth

/** A group that grows: its members, its own invite link, its clicks. */
function GrowthArt() {
  return (
    <figure className={art.art}>
      <figcaption className="visually-hidden">{growth.caption}</figcaption>
      <div aria-hidden="true">
        <p className={art.group}>{growth.group}</p>
        <p className={art.members}>
          <b>{growth.count}</b> <span>{growth.members}</span>{' '}
          <span className={art.today}>{growth.today}</span>
        </p>
        <svg className={art.curve} viewBox="0 0 360 96" fill="none" aria-hidden="true">
          <path className={art.area} d="M0 84c40-4 58-14 92-18s60 4 96-14 54-10 84-24 50-14 88-22v90H0z" />
          <path className={art.line} d="M0 84c40-4 58-14 92-18s60 4 96-14 54-10 84-24 50-14 86-22" />
          <circle className={art.now} cx="353" cy="8" r="6" />
        </svg>
        <p className={art.invite}>
          <span className={art.link}>{growth.invite}</span>
          <span>
            <b>{growth.clickCount}</b> <span>{growth.clicks}</span>
          </span>
        </p>
      </div>
    </figure>
  )
}
