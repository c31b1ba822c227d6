import { useSubscription } from '../../purchase/use-subscription'
import { upsell } from '../../texts/upsell'
import { LineIcon } from '../../ui/line-icon'
import styles from './upsell.module.css'

const MARKS = [
  'M12 3 5 6v5c0 4.500 3 8 7 10 4-2 7-5.500 7-10V6l-7-3Zm-3 9 2.200 2.200L15.500 10',
  'M7 17 17 7M9 7h8v8',
  'm12 3 2.500 5.500 6 .6-4.500 4 1.300 5.900L12 16l-5.300 3 1.300-5.900-4.500-4 6-.6L12 3Z',
]

/** The blocks under the offers. The guarantee is only for a first subscription. */
export function Reassurance() {
  const subscribing = useSubscription()
  const isUsed = subscribing.kind === 'inactive' && subscribing.guaranteeUsed
  // The first one promises the guarantee.
  const shown = upsell.reassurance.map((block, at) => ({ ...block, mark: MARKS[at] })).slice(isUsed ? 1 : 0)
  return (
    <ul className={styles.reassurance}>
      {shown.map(({ title, text, mark }) => (
        <li key={title}>
          <LineIcon d={mark} />
          <h2>{title}</h2>
          <p className="quiet">{text}</p>
        </li>
      ))}
    </ul>
  )
}
