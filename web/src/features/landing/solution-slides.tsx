import { solutionSlides as texts } from '../../texts/solution-slides'
import { DrawingPlace } from './drawing-place'
import styles from './solution-slides.module.css'

/** A slide: what it says over the place of its drawing. */
export function Slide({ of }: { of: keyof typeof texts }) {
  const { title, text } = texts[of]
  return (
    <div className={styles.slide}>
      <div className="stack">
        <p className={styles.name}>{title}</p>
        <p className={styles.text}>{text}</p>
      </div>
      <DrawingPlace of={of} />
    </div>
  )
}
