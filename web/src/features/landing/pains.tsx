import { paths } from '../../lib/paths'
import { pains } from '../../texts/pains'
import { ButtonLink } from '../../ui/button'
import styles from './pains.module.css'

/** What garimpar by hand costs: six cards and the way out. */
export default function Pains() {
  return (
    <section className={styles.pains} aria-labelledby="pains-title">
      <div className={styles.inner}>
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
        <div className={styles.action}>
          <ButtonLink size="lg" to={paths.signUp}>
            {pains.trial}
          </ButtonLink>
          <p>{pains.note}</p>
        </div>
      </div>
    </section>
  )
}

/** A loose tag, as those that fall into the sieve. */
function Stone() {
  return (
    <svg className={styles.stone} viewBox="0 0 44 28" aria-hidden="true">
      <path d="M2 14 13 3.500A5 5 0 0 1 16.500 2H38a5 5 0 0 1 5 5v14a5 5 0 0 1-5 5H16.500a5 5 0 0 1-3.500-1.500z" />
      <circle cx="14" cy="14" r="3" />
    </svg>
  )
}
