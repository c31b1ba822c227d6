import { classNames } from '../../lib/class-names'
import { solutions as texts } from '../../texts/solutions'
import styles from './solution-art.module.css'

/** Filters over a list: poor offers fade, one shines. */
export function SearchArt() {
  return (
    <div className={styles.search} aria-hidden="true">
      <div className={styles.filters}>
        {texts.search.filters.map((filter) => (
          <span key={filter}>{filter}</span>
        ))}
      </div>
      {texts.search.results.map(({ name, off, passes }) => (
        <div className={classNames(styles.result, passes && styles.passes)} key={name}>
          {passes && (
            <svg className={styles.nugget} viewBox="0 0 32 30" aria-hidden="true">
              <path d="m2 11 6-8 11-2 10 7 1 11-8 8-11 1-9-7z" />
            </svg>
          )}
          <span>{name}</span>
          <b>{off}</b>
        </div>
      ))}
    </div>
  )
}

/** What was sent while the phone was off. */
export function SentArt() {
  return (
    <div className={styles.sent} aria-hidden="true">
      {texts.robot.sent.map(({ time, group }) => (
        <div className={styles.row} key={time}>
          <span className={styles.time}>{time}</span>
          <span className={styles.group}>{group}</span>
          <svg viewBox="0 0 18 12" width="20" height="14" fill="none" aria-hidden="true">
            <path
              d="m1 6.500 3.500 3.500L11 2.500M8 9l1 1 7-7.500"
              stroke="currentColor"
              strokeWidth="1.8"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
        </div>
      ))}
    </div>
  )
}

export function CatalogArt() {
  return (
    <svg className={styles.drawing} viewBox="0 0 320 132" fill="none" aria-hidden="true">
      {[0, 1, 2, 3].map((column) => (
        <g key={column} transform={`translate(${column * 82} 0)`}>
          <rect className={column === 1 ? styles.fresh : styles.tile} width="72" height="84" rx="10" />
          <rect className={styles.line} y="94" width="56" height="9" rx="4.5" />
          <rect className={styles.strong} y="112" width="36" height="12" rx="6" />
        </g>
      ))}
      <path className={styles.pen} d="m104 42 12 12 20-24" />
    </svg>
  )
}

export function CreatorArt() {
  return (
    <svg className={styles.drawing} viewBox="0 0 320 132" fill="none" aria-hidden="true">
      <rect className={styles.tile} width="132" height="132" rx="12" />
      <path
        className={styles.hill}
        d="M0 104 40 62l30 30 22-20 40 40v8a12 12 0 0 1-12 12H12a12 12 0 0 1-12-12z"
      />
      <circle className={styles.fresh} cx="96" cy="34" r="14" />
      <rect className={styles.strong} x="152" y="10" width="148" height="14" rx="7" />
      <rect className={styles.line} x="152" y="38" width="168" height="9" rx="4.5" />
      <rect className={styles.line} x="152" y="57" width="132" height="9" rx="4.500" />
      <rect className={styles.fresh} x="152" y="92" width="104" height="30" rx="15" />
      <path className={styles.pen} d="M170 107h40m-8-7 8 7-8 7" />
    </svg>
  )
}

export function ShowcaseArt() {
  return (
    <div className={styles.showcase} aria-hidden="true">
      <div className={styles.address}>{texts.showcase.address}</div>
      <svg className={styles.drawing} viewBox="0 0 320 88" fill="none" aria-hidden="true">
        {[0, 1, 2].map((column) => (
          <g key={column} transform={`translate(${16 + column * 98} 14)`}>
            <rect className={column === 0 ? styles.fresh : styles.tile} width="88" height="52" rx="8" />
            <rect className={styles.line} y="62" width="60" height="8" rx="4" />
          </g>
        ))}
      </svg>
    </div>
  )
}
