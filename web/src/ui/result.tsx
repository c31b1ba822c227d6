import { useEffect } from 'react'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import { named } from '../texts/meta'
import { Card } from './card'
import { type Fact, Facts } from './facts'
import styles from './result.module.css'
import { Sieve } from './sieve'

/**
 * A page with one outcome: a mark, a heading (the tab's title too), a text and the next actions.
 */
export function Result({
  mark,
  title,
  text,
  children,
}: {
  mark: 'nugget' | 'slip' | 'sieve'
  title: string
  text: string
  children?: Elements
}) {
  useEffect(() => {
    document.title = named(title.replace(/!$/, ''))
  }, [title])
  return (
    <div className={styles.page}>
      <Card className={styles.card}>
        <div className={classNames(styles.mark, styles[mark])}>{MARKS[mark]}</div>
        <h1 className="title-md">{title}</h1>
        <p className={styles.text}>{text}</p>
        {children}
      </Card>
    </div>
  )
}

/** Buttons of a result, side by side where there is room. */
export function ResultActions({ children }: { children: Elements }) {
  return <div className={styles.actions}>{children}</div>
}

/** Facts of a result, one a line. */
export function ResultFacts({ facts }: { facts: readonly Fact[] }) {
  return <Facts className={styles.facts} facts={facts} />
}

const MARKS = {
  nugget: (
    <svg viewBox="0 0 96 96" fill="none" aria-hidden="true">
      <path fill="var(--ouro)" d="M48 10 74 24l12 26-12 24-26 12-26-10L10 48l10-24Z" />
      <path
        stroke="var(--ouro-escuro)"
        strokeWidth="1.5"
        strokeOpacity="0.35"
        strokeLinejoin="round"
        d="m48 10 4 26 22-12M52 36l34 14M52 36 34 58l-24-10M34 58l40 16M34 58l-12 18"
      />
      <path
        stroke="var(--tinta)"
        strokeWidth="7"
        strokeLinecap="round"
        strokeLinejoin="round"
        d="m33 50 11 11 21-24"
      />
    </svg>
  ),
  slip: (
    <svg viewBox="0 0 96 96" fill="none" aria-hidden="true">
      <path
        fill="var(--areia)"
        stroke="var(--pedra)"
        strokeWidth="2.5"
        strokeLinejoin="round"
        d="M18 14h60v66l-7.500-6-7.500 6-7.500-6-7.500 6-7.500-6-7.500 6-7.500-6-7.500 6Z"
      />
      <path stroke="var(--pedra)" strokeWidth="3" strokeLinecap="round" d="M28 28h26M28 38h40" />
      <path
        stroke="var(--tinta)"
        strokeWidth="2.5"
        d="M29 48v16M34 48v16M41 48v16M45 48v16M52 48v16M57 48v16M63 48v16M68 48v16"
      />
    </svg>
  ),
  sieve: <Sieve width={180} />,
}
