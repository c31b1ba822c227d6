import { privacySection, trust as texts } from '../../../texts/trust'
import styles from './trust.module.css'

const { voucher, company, privacy } = texts

/** Reasons to trust: the guarantee as a voucher, the company, security and privacy. */
export function Trust() {
  return (
    <section className={styles.section} aria-labelledby="trust-title">
      <h2 id="trust-title" className="title-lg">
        {texts.title}
      </h2>
      <div className={styles.voucher}>
        <p className={styles.stub}>
          <b>{voucher.days}</b> <span>{voucher.stub}</span>
        </p>
        <div className={styles.how}>
          <p className={styles.lead}>{voucher.lead}</p>
          <ol className={styles.steps}>
            {voucher.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <a href={voucher.rules.to}>{voucher.rules.text}</a>
        </div>
      </div>
      <div className={styles.facts}>
        <div>
          <h3>{company.title}</h3>
          <dl className={styles.company}>
            {company.facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
        <div>
          <h3>{privacy.title}</h3>
          <ul className={styles.privacy}>
            {privacy.items.map(({ text, section, link }) => (
              <li key={section}>
                <span>{text}</span> <a href={privacySection(section)}>{link}</a>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </section>
  )
}
