import { brand } from '../../texts/brand'
import { type LegalText, legal as texts } from '../../texts/legal'
import styles from './legal-page.module.css'

/** A legal text: date, who we are, contents, sections. Static. */
export function LegalPage({ text }: { text: LegalText }) {
  return (
    <article className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>{text.title}</h1>
        <p className="lead">{text.lead}</p>
        <p className={styles.updated}>{texts.updated}</p>
      </header>
      <aside className={styles.side}>
        <nav aria-label={texts.contents}>
          <h2 className={styles.sideTitle}>{texts.contents}</h2>
          <ul className={styles.contents}>
            {text.sections.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      </aside>
      <div className={styles.body}>
        <CompanyFacts />
        {text.sections.map(({ id, title, body }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`}>
            <h2 id={`${id}-title`} className="title-sm">
              {title}
            </h2>
            {body.map((part) =>
              typeof part === 'string' ? (
                <p key={part}>{part}</p>
              ) : (
                <ul key={part[0]} className={styles.list}>
                  {part.map((item) => (
                    <li key={item}>{item}</li>
                  ))}
                </ul>
              ),
            )}
          </section>
        ))}
      </div>
    </article>
  )
}

/** The company's data, which Brazilian law requires of an online seller. */
export function CompanyFacts() {
  const { company } = texts
  const facts = [
    [company.name, brand.legal_name],
    [company.taxId, brand.tax_id],
    [company.address, <address key="address">{brand.address}</address>],
    [
      company.email,
      <a key="email" href={`mailto:${brand.email}`}>
        {brand.email}
      </a>,
    ],
    [company.phone, brand.phone],
  ] as const
  return (
    <dl className={styles.company} aria-label={company.title}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
