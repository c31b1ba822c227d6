import { paths } from '../../lib/paths'
import { about as texts } from '../../texts/about'
import { ButtonLink } from '../../ui/button'
import { Sieve } from '../../ui/sieve'
import styles from './about.module.css'
import { CompanyFacts } from './legal-page'

/** The company, its story and its contacts. Static. */
export default function About() {
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h1 className={styles.title}>{texts.title}</h1>
          <p className={styles.lead}>{texts.lead}</p>
        </div>
        <Sieve gravel nuggets width={380} />
      </header>
      <div className={styles.story}>
        {texts.story.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      <section aria-labelledby="values-title">
        <h2 id="values-title">{texts.values.title}</h2>
        <ul className={styles.values}>
          {Object.entries(texts.values.items).map(([title, text]) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </section>
      <section className={styles.company} aria-labelledby="company-title">
        <h2 id="company-title">{texts.company}</h2>
        <p>{texts.founded}</p>
        <CompanyFacts />
      </section>
      <section className={styles.action} aria-labelledby="action-title">
        <div>
          <h2 id="action-title">{texts.action.title}</h2>
          <p>{texts.action.text}</p>
        </div>
        <ButtonLink size="lg" to={paths.plans}>
          {texts.action.plans}
        </ButtonLink>
      </section>
    </div>
  )
}
