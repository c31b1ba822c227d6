import { classNames } from '../../lib/class-names'
import { solutions as texts } from '../../texts/solutions'
import { CatalogArt, CreatorArt, SearchArt, SentArt, ShowcaseArt } from './solution-art'
import styles from './solutions.module.css'

const cards = [
  { ...texts.search, art: <SearchArt />, look: styles.large },
  { ...texts.robot, art: <SentArt />, look: classNames(styles.large, styles.dark) },
  { ...texts.catalog, art: <CatalogArt />, look: undefined },
  { ...texts.creator, art: <CreatorArt />, look: undefined },
  { ...texts.showcase, art: <ShowcaseArt />, look: undefined },
] as const

/** Five features, each with a drawing of what it does. */
export function Solutions({ heading: Heading = 'h2' }: { heading?: 'h1' | 'h2' }) {
  const Title = Heading === 'h1' ? 'h2' : 'h3'
  return (
    <>
      <div className={styles.head}>
        <Heading id="solutions-title" className={styles.heading}>
          {texts.title}
        </Heading>
        <p className={styles.lead}>{texts.lead}</p>
      </div>
      <div className={styles.cards}>
        {cards.map(({ title, text, art, look }) => (
          <article className={classNames(styles.card, look)} key={title}>
            <div className={styles.words}>
              <Title className={styles.title}>{title}</Title>
              <p className={styles.text}>{text}</p>
            </div>
            {art}
          </article>
        ))}
      </div>
    </>
  )
}

export default Solutions
