import type { solutionSlides } from '../../texts/solution-slides'
import type { solutions } from '../../texts/solutions'
import styles from './drawing-place.module.css'

export type DrawingName = Exclude<keyof typeof solutions, 'title' | 'lead'> | keyof typeof solutionSlides

/** As high as the drawing that comes here once the visitor is near (late-drawings.tsx). */
export function DrawingPlace({ of }: { of: DrawingName }) {
  return <div className={styles[of]} data-drawing={of} />
}
