import { allStores as texts } from '../../../texts/all-stores'
import styles from './all-stores.module.css'

/** Every partner store, behind one press. */
export default function AllStores() {
  return (
    <details className={styles.all}>
      <summary className={styles.summary}>
        <span>{texts.all}</span>
        <svg viewBox="0 0 16 16" width="16" height="16" fill="none" aria-hidden="true">
          <path d="m3 6 5 5 5-5" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
        </svg>
      </summary>
      <div className={styles.groups}>
        {texts.groups.map(({ name, stores }) => (
          <div key={name}>
            <h3 className={styles.group}>{name}</h3>
            <ul>
              {stores.map((store) => (
                <li key={store}>{store}</li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </details>
  )
}
