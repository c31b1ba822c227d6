import { solutionSlides as texts } from '../../../texts/solution-slides'
import { PromoterArt } from './promoter-art'
import { QueuesArt } from './queues-art'
import { RequestArt } from './request-art'
import styles from './solution-slides.module.css'

const drawings = { promoter: <PromoterArt />, request: <RequestArt />, queues: <QueuesArt /> }

/** A slide: its text over its drawing. */
export function Slide({ of }: { of: keyof typeof texts }) {
  const { title, text } = texts[of]
  return (
    <div className={styles.slide}>
      <div className="stack">
        <p className={styles.name}>{title}</p>
        <p className={styles.text}>{text}</p>
      </div>
      {drawings[of]}
    </div>
  )
}
