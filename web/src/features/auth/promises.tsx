import { signUp } from '../../texts/sign-up'
import { LineIcon } from '../../ui/line-icon'
import styles from './auth-page.module.css'

/** What a new account leads to, beside the sign-up form. */
export function Promises() {
  const { title, items } = signUp.promises
  return (
    <>
      <h2 className="title-sm">{title}</h2>
      <ul className={styles.promises}>
        {items.map((item) => (
          <li key={item.title}>
            <LineIcon width="28" viewBox="0 0 28 28" strokeWidth="2.4" d="m8.500 14.500 3.800 3.800 7.200-8">
              <circle cx="14" cy="14" r="13" fill="currentColor" stroke="none" opacity=".14" />
            </LineIcon>
            <b>{item.title}</b>
            <p className="quiet">{item.text}</p>
          </li>
        ))}
      </ul>
    </>
  )
}
