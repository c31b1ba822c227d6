import { promoProof as texts } from '../../../texts/promo'
import PostDemo from '../home/post-demo'
import styles from './proof.module.css'

/** The post as it arrives in the group, and reasons to trust it. Static. */
export default function Proof() {
  return (
    <section className={styles.section} aria-labelledby="proof-title">
      <div className={styles.post}>
        <PostDemo />
      </div>
      <div>
        <h2 id="proof-title" className="title-lg">
          {texts.title}
        </h2>
        <p className={styles.lead}>{texts.lead}</p>
        <ul className={styles.items}>
          {texts.items.map(({ title, text }) => (
            <li key={title}>
              <b>{title}</b>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
