import { brand } from '../texts/brand'
import { footer as texts } from '../texts/site'
import { LineIcon } from './line-icon'
import styles from './social-links.module.css'

/**
 * The company's social pages, as plain line drawings, not the platforms' logos. For dark grounds.
 */
export function SocialLinks() {
  return (
    <ul className={styles.socials} aria-label={texts.social}>
      {brand.socials.map(({ platform, name, url }) => (
        <li key={platform}>
          <a className={styles.social} href={url}>
            <span className="visually-hidden">{name}</span>
            <LineIcon width="20" height="20" d={DRAWINGS[platform]} />
          </a>
        </li>
      ))}
    </ul>
  )
}

const DRAWINGS: Record<string, string> = {
  tiktok: 'M14 4v10.5a3.5 3.5 0 1 1-3.5-3.5M14 4c.4 2.6 2 4.2 4.5 4.5',
  youtube: 'M4.5 6.5h15a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-15a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2ZM10 9.5v5l4.5-2.5z',
  instagram:
    'M8 3.5h8A4.5 4.5 0 0 1 20.5 8v8a4.5 4.5 0 0 1-4.5 4.5H8A4.5 4.5 0 0 1 3.5 16V8A4.5 4.5 0 0 1 8 3.5ZM12 8.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM17 7v.1',
  facebook:
    'M13.5 21v-8H17M13.5 13H10M13.5 13V8.5A2.5 2.5 0 0 1 16 6h1.5M3.5 12a8.5 8.5 0 1 0 17 0 8.5 8.5 0 0 0-17 0Z',
}
