import type { Elements } from '../../../lib/elements'
import { solutions as texts } from '../../../texts/solutions'
import { LineIcon } from '../../../ui/line-icon'
import { Checks } from '../checks'
import { ProductPicture } from '../home/product-picture'
import { SearchScene } from './search-scene'
import art from './solution-art.module.css'
import styles from './solutions.module.css'

/** Five features, each with a drawing of what it does. */
export function Solutions({ heading: Heading }: { heading: 'h1' | 'h2' }) {
  const level = Heading === 'h1' ? 'h2' : 'h3'
  return (
    <>
      <div className={styles.head}>
        <Heading id="solutions-title" className="title-lg">
          {texts.title}
        </Heading>
        <p className="lead">{texts.lead}</p>
      </div>
      <article className={styles.search}>
        <Words of="search" level={level} />
        <SearchScene />
      </article>
      <div className={styles.others}>
        <article className={styles.robot}>
          <Words of="robot" level={level} />
          <SentArt />
        </article>
        <Feature of="catalog" level={level} drawing={<CatalogArt />} />
        <Feature of="creator" level={level} drawing={<CreatorArt />} />
        <Feature of="showcase" level={level} drawing={<ShowcaseArt />} />
      </div>
    </>
  )
}

interface FeatureProps {
  of: 'search' | 'robot' | 'catalog' | 'creator' | 'showcase'
  level: 'h2' | 'h3'
}

function Words({ of, level: Title }: FeatureProps) {
  return (
    <div className={styles.words}>
      <Title className="title-md">{texts[of].title}</Title>
      <p className={styles.text}>{texts[of].text}</p>
    </div>
  )
}

/** A feature whose drawing stands over its words. */
function Feature({ of, level: Title, drawing }: FeatureProps & { drawing: Elements }) {
  return (
    <article className={styles.feature}>
      <div className={art.stage} aria-hidden="true">
        {drawing}
      </div>
      <Title className="title-sm">{texts[of].title}</Title>
      <p className={styles.text}>{texts[of].text}</p>
    </article>
  )
}

/** Posts sent while the phone was off. */
function SentArt() {
  const { phone, sent } = texts.robot
  return (
    <div className={art.sent} aria-hidden="true">
      <div className={art.phone}>
        <LineIcon
          viewBox="0 0 20 20"
          width="28"
          height="28"
          d="M16.500 12.500A7 7 0 0 1 7.500 3.500a7 7 0 1 0 9 9Z"
        />
        <span>{phone.name}</span>
        <b>{phone.state}</b>
      </div>
      <ul>
        {sent.map(({ time, group }) => (
          <li className={art.row} key={time}>
            <span className={art.time}>{time}</span>
            <span className={art.group}>{group}</span>
            <Checks width="20" height="14" />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Offers side by side, one chosen. */
function CatalogArt() {
  return (
    <div className={art.tiles}>
      {texts.catalog.offers.map(({ id, now, off }) => (
        <div className={art.tile} key={id}>
          <ProductPicture of={id} off={off} />
          <b>{now}</b>
        </div>
      ))}
    </div>
  )
}

/** A picture with its percent, and the words that go with it. */
function CreatorArt() {
  const { id, off, lines, link } = texts.creator.post
  return (
    <div className={art.creation}>
      <ProductPicture of={id} off={off} />
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
    <div className={art.showcase}>
      <p className={art.address}>{texts.showcase.address}</p>
      <p className={art.shop}>{texts.showcase.shop}</p>
      <div className={art.tiles}>
        {texts.catalog.offers.map(({ id, now }) => (
          <div className={art.tile} key={id}>
            <ProductPicture of={id} />
            <b>{now}</b>
          </div>
        ))}
      </div>
    </div>
  )
}
