import type { CSSProperties } from 'react'
import { classNames } from '../lib/class-names'
import type { Elements } from '../lib/elements'
import styles from './gallery.module.css'
import {
  contrast,
  groups,
  isColor,
  isOfDrawings,
  isPrimitive,
  named,
  resolve,
  SCHEMES,
  type Scheme,
  type Token,
  type TokenGroup,
  tokensNamed,
  valueIn,
} from './tokens'

/** Text and the ground that it stands on. The test of the gallery measures them too. */
export const PAIRS = [
  ['--text', '--surface'],
  ['--text', '--surface-raised'],
  ['--text', '--surface-sunken'],
  ['--text', '--surface-selected'],
  ['--text-muted', '--surface'],
  ['--text-muted', '--surface-raised'],
  ['--action', '--surface'],
  ['--action-strong', '--surface-selected'],
  ['--on-action', '--action'],
  ['--on-action', '--action-strong'],
  ['--on-action', '--danger'],
  ['--success', '--success-surface'],
  ['--warning', '--warning-surface'],
  ['--danger', '--danger-surface'],
  ['--danger', '--surface-raised'],
  ['--on-highlight', '--highlight'],
  ['--inverse-text', '--inverse'],
  ['--inverse-text', '--inverse-raised'],
  ['--inverse-muted', '--inverse'],
  ['--inverse-quiet', '--inverse'],
  ['--inverse-accent', '--inverse'],
] as const

/** The part of a page that has a scheme. */
const GROUNDS = { light: 'by-day', dark: 'at-night' } as const

/** Sizes of type, each with a text in it. */
const SCALES = [
  { names: /^--title-/, className: styles.heading, text: 'A promoção certa, no grupo certo' },
  {
    names: /^--text-(?:xs|sm|md|lg)$/,
    className: undefined,
    text: 'O Garimpo encontra ofertas nas lojas e monta o post com o seu link de afiliado.',
  },
] as const

/** The tokens: every colour of tokens.css, then type, space and shape. */
export function Foundations() {
  const colors = groups
    .map(({ about, tokens }) => ({ about, tokens: tokens.filter(isColor) }))
    .filter(({ tokens }) => tokens.length > 0)
  const drawings = colors.filter(isOfDrawings)
  const palette = colors.filter((group) => group.tokens.every(isPrimitive) && !isOfDrawings(group))
  return (
    <>
      <Group
        id="colors"
        title="Colours"
        text="A stylesheet names the intent. Another colour scheme changes these alone."
      >
        <div className={styles.colors}>
          {colors
            .filter((group) => !palette.includes(group) && !drawings.includes(group))
            .map(({ about, tokens }) => (
              <div className={styles.part} key={about} style={{ '--count': tokens.length } as CSSProperties}>
                <p className={styles.use}>{about}</p>
                <ul className={styles.swatches}>
                  {tokens.map((token) => (
                    <Swatch key={token.name} token={token} />
                  ))}
                </ul>
              </div>
            ))}
        </div>
        <SmallSwatches
          title="Palette"
          text="The primitives below the intents. Only drawings name them."
          groups={palette}
        />
        <SmallSwatches title="Drawings" text="Colours of drawings alone." groups={drawings} />
        {SCHEMES.map((scheme) => (
          <div className={styles.part} key={scheme}>
            <h3>{`Contrast, ${scheme}`}</h3>
            <p className={styles.use}>Text on its ground. WCAG 2 AA asks for 4.5.</p>
            <ul className={classNames(styles.pairs, GROUNDS[scheme])}>
              {PAIRS.map(([text, ground]) => (
                <li
                  key={`${text} ${ground}`}
                  className={styles.pair}
                  style={{ background: `var(${ground})`, color: `var(${text})` }}
                >
                  <b>{contrast(resolve(text, scheme), resolve(ground, scheme)).toFixed(1)}</b>
                  <span>{text.slice(2)}</span>
                  <span>{`on ${ground.slice(2)}`}</span>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </Group>
      <Group
        id="type"
        title="Type"
        text="Figtree, one variable file. Headings are 800 and tight, text is 400 at a height of 1.55. Sizes grow with the window."
      >
        <div className={styles.part}>
          <ul className={styles.scale}>
            {SCALES.map(({ names, className, text }) =>
              tokensNamed(names)
                .reverse()
                .map(({ name }) => (
                  <li key={name}>
                    <code>{name.slice(2)}</code>
                    <p className={className} style={{ fontSize: `var(${name})` }} lang="pt-BR">
                      {text}
                    </p>
                  </li>
                )),
            )}
          </ul>
        </div>
      </Group>
      <Group
        id="space"
        title="Space and shape"
        text="Steps of 4. Cards have one border and one soft shadow; buttons and chips are round."
      >
        <div className={styles.part}>
          <h3>Space</h3>
          <ul className={styles.spaces}>
            {tokensNamed(/^--space-\d+$/).map(({ name, value }) => (
              <li key={name}>
                <code>{name.slice(2)}</code>
                <span className={styles.bar} style={{ width: `var(${name})` }} />
                <span>{value}</span>
              </li>
            ))}
          </ul>
        </div>
        <div className={styles.part}>
          <h3>Shape</h3>
          <ul className={styles.shapes}>
            {tokensNamed(/^--radius/).map(({ name, value }) => (
              <li key={name} style={{ borderRadius: `var(${name})`, border: 'var(--border)' }}>
                <code>{name.slice(2)}</code>
                <span>{value}</span>
              </li>
            ))}
            {tokensNamed(/^--(?:shadow|edge)/).map(({ name }) => (
              <li key={name} style={{ borderRadius: 'var(--radius)', boxShadow: `var(${name})` }}>
                <code>{name.slice(2)}</code>
              </li>
            ))}
            <li style={{ borderRadius: 'var(--radius)', border: 'var(--border)' }}>
              <code>border</code>
            </li>
            <li style={{ borderRadius: 'var(--radius)', outline: 'var(--focus)', outlineOffset: 2 }}>
              <code>focus</code>
            </li>
          </ul>
        </div>
      </Group>
    </>
  )
}

/** A group of the gallery: its heading, then its parts. */
export function Group({
  id,
  title,
  text,
  children,
}: {
  id: string
  title: string
  text: string
  children: Elements
}) {
  return (
    <section className={styles.group} id={id} aria-labelledby={`${id}-title`}>
      <div className={styles.head}>
        <h2 id={`${id}-title`}>{title}</h2>
        <p className={styles.use}>{text}</p>
      </div>
      {children}
    </section>
  )
}

function SmallSwatches({ title, text, groups }: { title: string; text: string; groups: TokenGroup[] }) {
  return (
    <div className={styles.part}>
      <h3>{title}</h3>
      <p className={styles.use}>{text}</p>
      <ul className={classNames(styles.swatches, styles.small)}>
        {groups
          .flatMap(({ tokens }) => tokens)
          .map((token) => (
            <Swatch key={token.name} token={token} />
          ))}
      </ul>
    </div>
  )
}

/** A colour, or its two colours by day and by night. */
function Swatch({ token: { name, value } }: { token: Token }) {
  const schemes = value.includes('light-dark(') ? SCHEMES : (['light'] as const)
  return (
    <li className={styles.swatch}>
      <div className={styles.color}>
        {schemes.map((scheme) => (
          <span key={scheme} className={GROUNDS[scheme]} style={{ background: `var(${name})` }} />
        ))}
      </div>
      <code>{name.slice(2)}</code>
      {schemes.map((scheme) => (
        <span key={scheme} className={styles.value}>
          {valueText(name, valueIn(value, scheme), scheme)}
        </span>
      ))}
    </li>
  )
}

function valueText(name: string, value: string, scheme: Scheme): string {
  if (value.includes('gradient(')) return 'gradient'
  const primitive = named(value)
  return primitive ? `${primitive.slice(2)} ${resolve(name, scheme)}` : value
}
