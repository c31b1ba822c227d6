import { solutionSlides } from '../../../texts/solution-slides'
import styles from './request-art.module.css'

const texts = solutionSlides.request

/** A request in plain words; poor offers stay on the mesh, one passes. */
export function RequestArt() {
  return (
    <div className={styles.art} aria-hidden="true">
      <p className={styles.request}>{texts.request}</p>
      <ul className={styles.refused}>
        {texts.refused.map(({ name, off }) => (
          <li key={name}>
            <span>{name}</span> <b>{off}</b>
          </li>
        ))}
      </ul>
      <div className={styles.mesh} />
      <p className={styles.passed}>
        <svg viewBox="0 0 32 30" width="22" height="20" aria-hidden="true">
          <path d="m2 11 6-8 11-2 10 7 1 11-8 8-11 1-9-7z" />
        </svg>
        <span>{texts.passed.name}</span>
        <span className={styles.price}>{texts.passed.price}</span>
        <b className="badge">{texts.passed.off}</b>
      </p>
    </div>
  )
}
