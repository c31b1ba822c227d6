import { classNames } from '../../../lib/class-names'
import { solutions as texts } from '../../../texts/solutions'
import { solutionArt } from './solution-art'
import styles from './solutions.module.css'

const cards = [
  { of: 'search', look: styles.large },
  { of: 'robot', look: classNames(styles.large, styles.dark) },
  { of: 'catalog', look: undefined },
  { of: 'creator', look: undefined },
  { of: 'showcase', look: undefined },
] as const

/** Five features, each with a drawing of what it does. */
export function Solutions({ heading: Heading }: { heading: 'h1' | 'h2' }) {
  const Title = Heading === 'h1' ? 'h2' : 'h3'
  return (
    <>
      <div className={styles.head}>
        <Heading id="solutions-title" className="title-lg">
          {texts.title}
        </Heading>
        <p className="lead">{texts.lead}</p>
      </div>
      <div className={styles.cards}>
        {cards.map(({ of, look }) => (
          <article className={classNames(styles.card, look)} key={of}>
            <div className="stack">
              <Title className="title-sm">{texts[of].title}</Title>
              <p className={styles.text}>{texts[of].text}</p>
            </div>
            {solutionArt[of]}
          </article>
        ))}
      </div>
    </>
  )
}
