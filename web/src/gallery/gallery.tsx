import { classNames } from '../lib/class-names'
import { LogoMark } from '../ui/logo'
import { actions } from './actions'
import { content } from './content'
import { fields } from './fields'
import { Foundations, Group } from './foundations'
import styles from './gallery.module.css'
import { marks } from './marks'
import { money } from './money'
import { commentOf, type Part, type Parts } from './parts'
import { screens } from './screens'
import { subscription } from './subscription'

export const groups: readonly { id: string; title: string; text: string; parts: Parts }[] = [
  { id: 'actions', title: 'Actions', text: 'What a visitor presses.', parts: actions },
  { id: 'fields', title: 'Fields', text: 'What a visitor types and chooses.', parts: fields },
  { id: 'money', title: 'Money and time', text: 'Prices, sums and what is left of an offer.', parts: money },
  { id: 'content', title: 'Content', text: 'What holds texts and says how things are.', parts: content },
  {
    id: 'subscription',
    title: 'Subscription',
    text: 'What several screens show of the boleto, the trial and the plan of a visitor.',
    parts: subscription,
  },
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

/** Every token and every part of src/ui and src/parts, in every state. */
export function Gallery() {
  return (
    <>
      <header className={styles.top}>
        <LogoMark />
        <h1>Garimpo design system</h1>
        <p>Every token and every part of src/ui and src/parts, in every state, as the product shows it.</p>
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
            <Group key={id} id={id} title={title} text={text}>
              {Object.entries<Part>(parts).map(([name, part]) => (
                <PartView key={name} name={name} part={part} />
              ))}
            </Group>
          ))}
        </main>
      </div>
    </>
  )
}

/** How the states of each kind stand. */
const KINDS = {
  states: { sample: undefined, specimen: undefined },
  dark: { sample: undefined, specimen: styles.inverse },
  wide: { sample: styles.wide, specimen: undefined },
  page: { sample: styles.wide, specimen: styles.page },
} as const

function PartView({ name, part }: { name: string; part: Part }) {
  return (
    <div className={styles.part}>
      <h3>{name}</h3>
      <p className={styles.use}>{commentOf(name)}</p>
      <div className={styles.samples}>
        {Object.entries(KINDS).flatMap(([kind, look]) =>
          Object.entries(part[kind as keyof typeof KINDS] ?? {}).map(([state, content]) => (
            <figure key={state} className={classNames(styles.sample, look.sample)}>
              <figcaption>{state}</figcaption>
              <div className={classNames(styles.specimen, look.specimen)} lang="pt-BR">
                {part.frame ? <Frame part={name} state={state} height={part.frame} /> : content}
              </div>
            </figure>
          )),
        )}
      </div>
    </div>
  )
}

/** A state in a window of its own. */
function Frame({ part, state, height }: { part: string; state: string; height: number }) {
  return (
    <iframe
      className={styles.frame}
      style={{ height }}
      title={`${part}: ${state}`}
      src={`/gallery.html?${new URLSearchParams({ part, state })}`}
      loading="lazy"
    />
  )
}
