import styles from './drawing-place.module.css'

export type DrawingName = keyof typeof styles & string

/** As high as the drawing that comes here once the visitor is near (late-drawings.tsx). */
export function DrawingPlace({ of }: { of: DrawingName }) {
  return <div className={styles[of]} data-drawing={of} aria-hidden="true" />
}
