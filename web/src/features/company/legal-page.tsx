import { brand } from '../../texts/brand'
import { type LegalText, legal as texts } from '../../texts/legal'
import styles from './legal-page.module.css'

/** A legal text: date, who we are, contents, sections. Static. */
export function LegalPage({ text }: { text: LegalText }) {
  return (
    <article className={styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>{text.title}</h1>
        <p className={styles.lead}>{text.lead}</p>
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
            <h2 id={`${id}-title`} className={styles.heading}>
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

/** The company in plain sight, as Brazilian law asks of who sells online. */
export function CompanyFacts() {
  const { company } = texts
  return (
    <dl className={styles.company} aria-label={company.title}>
      <div>
        <dt>{company.name}</dt>
        <dd>{brand.legal_name}</dd>
      </div>
      <div>
        <dt>{company.taxId}</dt>
        <dd>{brand.tax_id}</dd>
      </div>
      <div>
        <dt>{company.address}</dt>
        <dd>
          <address>{brand.address}</address>
        </dd>
      </div>
      <div>
        <dt>{company.email}</dt>
        <dd>
          <a href={`mailto:${brand.email}`}>{brand.email}</a>
        </dd>
      </div>
      <div>
        <dt>{company.phone}</dt>
        <dd>{brand.phone}</dd>
      </div>
    </dl>
  )
}
