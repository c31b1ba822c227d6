import styles from './check-list.module.css'
import { LineIcon } from './line-icon'

/** Lines that are all true, each with its check. */
export function CheckList({ items }: { items: readonly string[] }) {
  return (
    <ul className={styles.list}>
      {items.map((item) => (
        <li key={item}>
          <LineIcon width="18" viewBox="0 0 20 20" strokeWidth="2.4" d="m4 10.500 4 4 8-9" />
          <span>{item}</span>
        </li>
      ))}
    </ul>
  )
}
