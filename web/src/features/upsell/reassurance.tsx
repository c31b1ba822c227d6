import { upsell } from '../../texts/upsell'
import { LineIcon } from '../../ui/line-icon'
import styles from './upsell.module.css'

const MARKS = [
  'M12 3 5 6v5c0 4.500 3 8 7 10 4-2 7-5.500 7-10V6l-7-3Zm-3 9 2.200 2.200L15.500 10',
  'M7 17 17 7M9 7h8v8',
  'm12 3 2.500 5.500 6 .6-4.500 4 1.300 5.900L12 16l-5.300 3 1.300-5.900-4.500-4 6-.6L12 3Z',
]

/** The three blocks under the offers. */
export function Reassurance() {
  return (
    <ul className={styles.reassurance}>
      {upsell.reassurance.map(({ title, text }, index) => (
        <li key={title}>
          <LineIcon d={MARKS[index]} />
          <h2>{title}</h2>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  )
}
