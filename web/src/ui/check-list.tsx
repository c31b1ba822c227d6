import styles from './check-list.module.css'

/** Lines that are all true, each with its check. */
export function CheckList({ items }: { items: readonly string[] }) {
  return (
    <ul className={styles.list}>
      {items.map((item) => (
        <li key={item}>
          <svg viewBox="0 0 20 20" fill="none" aria-hidden="true">
            <path
              d="m4 10.500 4 4 8-9"
              stroke="currentColor"
              strokeWidth="2.400"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
          {item}
        </li>
      ))}
    </ul>
  )
}
