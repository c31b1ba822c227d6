import { classNames } from '../../../lib/class-names'
import { solutions as texts } from '../../../texts/solutions'
import { LineIcon } from '../../../ui/line-icon'
import { Checks } from '../checks'
import art from './solution-art.module.css'
import styles from './solutions.module.css'

const cards = [
  { of: 'search', look: styles.large },
  { of: 'robot', look: classNames(styles.large, styles.dark) },
  { of: 'catalog', look: undefined },
  { of: 'creator', look: undefined },
  { of: 'showcase', look: undefined },
] as const

/** Five features, each with a drawing of what it does. */
export function Solutions({ heading: Heading }: { heading: 'h1' | 'h2' }) {
  const Title = Heading === 'h1' ? 'h2' : 'h3'
  return (
    <>
      <div className={styles.head}>
        <Heading id="solutions-title" className="title-lg">
          {texts.title}
        </Heading>
        <p className="lead">{texts.lead}</p>
      </div>
      <div className={styles.cards}>
        {cards.map(({ of, look }) => (
          <article className={classNames(styles.card, look)} key={of}>
            <div className="stack">
              <Title className="title-sm">{texts[of].title}</Title>
              <p className={styles.text}>{texts[of].text}</p>
            </div>
            {solutionArt[of]}
          </article>
        ))}
      </div>
    </>
  )
}

/** Filters over a list: poor offers fade, one shines. */
function SearchArt() {
  return (
    <div className={art.search} aria-hidden="true">
      <div className={art.filters}>
        {texts.search.filters.map((filter) => (
          <span key={filter}>{filter}</span>
        ))}
      </div>
      {texts.search.results.map(({ name, off, passes }) => (
        <div className={classNames(art.result, passes && art.passes)} key={name}>
          {passes && (
            <svg className={art.nugget} viewBox="0 0 32 30" aria-hidden="true">
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

/** Posts sent while the phone was off. */
function SentArt() {
  return (
    <div className="stack" aria-hidden="true">
      <div className={art.phone}>
        <LineIcon
          viewBox="0 0 20 20"
          width="18"
          height="18"
          d="M16.500 12.500A7 7 0 0 1 7.500 3.500a7 7 0 1 0 9 9Z"
        />
        <span className={art.group}>{texts.robot.phone.name}</span>
        <span>{texts.robot.phone.state}</span>
      </div>
      {texts.robot.sent.map(({ time, group }) => (
        <div className={art.row} key={time}>
          <span className={art.time}>{time}</span>
          <span className={art.group}>{group}</span>
          <Checks width="20" height="14" />
        </div>
      ))}
    </div>
  )
}

/** Goods of the stores, as simple shapes. */
const SHAPES = {
  bottle: 'M25 8h14v7l5 7v30a5 5 0 0 1-5 5H25a5 5 0 0 1-5-5V22l5-7zm-5 20h24v13H20z',
  shoe: 'M8 40V25c7 4 12 2 15-3l14 10c5 4 19 2 19 11v4a3 3 0 0 1-3 3H11a3 3 0 0 1-3-3zm0 2h48v3H8z',
  phones: 'M10 38v-6a22 22 0 0 1 44 0v6a5 5 0 0 1 0 14h-7V36h3v-4a18 18 0 0 0-36 0v4h3v16h-7a5 5 0 0 1 0-14z',
} as const

function Shape({ kind }: { kind: keyof typeof SHAPES }) {
  return (
    <svg className={art.shape} viewBox="0 0 64 64" aria-hidden="true">
      <path fillRule="evenodd" d={SHAPES[kind]} />
    </svg>
  )
}

/** Offers side by side, one chosen. */
function CatalogArt() {
  return (
    <div className={art.tiles} aria-hidden="true">
      {texts.catalog.offers.map(({ kind, price, off }, at) => (
        <div className={classNames(art.tile, at === 1 && art.chosen)} key={kind}>
          <Shape kind={kind} />
          <b>{price}</b>
          <span>{off}</span>
        </div>
      ))}
    </div>
  )
}

/** A picture with its price, and the words that go with it. */
function CreatorArt() {
  const { kind, price, lines, link } = texts.creator.post
  return (
    <div className={art.creator} aria-hidden="true">
      <div className={art.picture}>
        <Shape kind={kind} />
        <b>{price}</b>
      </div>
      <div className={art.caption}>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p className={art.link}>{link}</p>
      </div>
    </div>
  )
}

/** The affiliate's own shop window. */
function ShowcaseArt() {
  return (
    <div className={art.showcase} aria-hidden="true">
      <p className={art.address}>{texts.showcase.address}</p>
      <p className={art.shop}>{texts.showcase.shop}</p>
      <div className={art.tiles}>
        {texts.catalog.offers.map(({ kind, price }) => (
          <div className={art.tile} key={kind}>
            <Shape kind={kind} />
            <b>{price}</b>
          </div>
        ))}
      </div>
    </div>
  )
}

/** The drawing of each solution. */
const solutionArt = {
  search: <SearchArt />,
  robot: <SentArt />,
  catalog: <CatalogArt />,
  creator: <CreatorArt />,
  showcase: <ShowcaseArt />,
} as const
