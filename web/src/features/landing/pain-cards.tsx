import { painCards as pains } from '../../texts/pain-cards'
import styles from './pain-cards.module.css'

/** The six pains, each beside a loose tag as those that fall into the sieve. */
export default function PainCards() {
  return (
    <>
      <div className={styles.head}>
        <h2 id="pains-title">{pains.title}</h2>
        <p className={styles.lead}>{pains.lead}</p>
      </div>
      <ul className={styles.items}>
        {pains.items.map(({ title, text }) => (
          <li className={styles.item} key={title}>
            <Stone />
            <h3 className={styles.title}>{title}</h3>
            <p className={styles.text}>{text}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

function Stone() {
  return (
    <svg className={styles.stone} viewBox="0 0 44 28" aria-hidden="true">
      <path d="M2 14 13 3.500A5 5 0 0 1 16.500 2H38a5 5 0 0 1 5 5v14a5 5 0 0 1-5 5H16.500a5 5 0 0 1-3.500-1.500z" />
      <circle cx="14" cy="14" r="3" />
    </svg>
  )
}
