import { classNames } from '../lib/class-names'
import { LogoMark } from '../ui/logo'
import { actions } from './actions'
import { content } from './content'
import { fields } from './fields'
import { Foundations, GroupHead } from './foundations'
import styles from './gallery.module.css'
import { marks } from './marks'
import { money } from './money'
import type { Part, Parts, Sample } from './parts'
import { screens } from './screens'

export const groups: readonly { id: string; title: string; text: string; parts: Parts }[] = [
  { id: 'actions', title: 'Actions', text: 'What a visitor presses.', parts: actions },
  { id: 'fields', title: 'Fields', text: 'What a visitor types and chooses.', parts: fields },
  { id: 'money', title: 'Money and time', text: 'Prices, sums and what is left of an offer.', parts: money },
  { id: 'content', title: 'Content', text: 'What holds texts and says how things are.', parts: content },
  { id: 'marks', title: 'Marks', text: 'The sieve and its variations, and line icons.', parts: marks },
  {
    id: 'screens',
    title: 'Whole screen',
    text: 'What covers the page or takes its place. Each stands in a frame of its own.',
    parts: screens,
  },
]

const FOUNDATIONS = [
  { id: 'colors', title: 'Colours' },
  { id: 'type', title: 'Type' },
  { id: 'space', title: 'Space and shape' },
]

/** Every token and every part of src/ui, in every state. */
export function Gallery() {
  return (
    <>
      <header className={styles.top}>
        <LogoMark />
        <h1>Garimpo design system</h1>
        <p>Every token and every part of src/ui, in every state, as the product shows it.</p>
      </header>
      <div className={styles.body}>
        <nav className={styles.nav} aria-label="Groups">
          <ul>
            {[...FOUNDATIONS, ...groups].map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <main className={styles.main}>
          <Foundations />
          {groups.map(({ id, title, text, parts }) => (
            <section key={id} className={styles.group} id={id} aria-labelledby={`${id}-title`}>
              <GroupHead id={id} title={title} text={text} />
              {Object.entries(parts).map(([name, part]) => (
                <PartView key={name} name={name} part={part} />
              ))}
            </section>
          ))}
        </main>
      </div>
    </>
  )
}

function PartView({ name, part: { use, samples } }: { name: string; part: Part }) {
  return (
    <div className={styles.part}>
      <h3>{name}</h3>
      <p className={styles.use}>{use}</p>
      <div className={styles.samples}>
        {samples.map((sample) => (
          <SampleView key={sample.state} sample={sample} />
        ))}
      </div>
    </div>
  )
}

function SampleView({ sample: { state, content, ground, wide } }: { sample: Sample }) {
  return (
    <figure className={classNames(styles.sample, wide && styles.wide)}>
      <figcaption>{state}</figcaption>
      <div className={classNames(styles.specimen, ground && styles[ground])} lang="pt-BR">
        {content}
      </div>
    </figure>
  )
}
