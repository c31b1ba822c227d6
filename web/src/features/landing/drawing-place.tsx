import { classNames } from '../../lib/class-names'
import styles from './drawing-place.module.css'

export type DrawingName = Exclude<keyof typeof styles & string, 'place'>

/** As high as the drawing that comes here once the visitor is near (late-drawings.tsx). */
export function DrawingPlace({ of }: { of: DrawingName }) {
  return <div className={classNames(styles.place, styles[of])} data-drawing={of} aria-hidden="true" />
}
