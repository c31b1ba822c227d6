import { signUp } from '../../texts/sign-up'
import styles from './auth-page.module.css'

/** What a new account leads to, beside the sign-up form. */
export function Promises() {
  const { title, items } = signUp.promises
  return (
    <>
      <h2>{title}</h2>
      <ul className={styles.promises}>
        {items.map((item) => (
          <li key={item.title}>
            <svg viewBox="0 0 28 28" fill="none" aria-hidden="true">
              <circle cx="14" cy="14" r="13" fill="currentColor" opacity=".14" />
              <path
                d="m8.500 14.500 3.800 3.800 7.200-8"
                stroke="currentColor"
                strokeWidth="2.400"
                strokeLinecap="round"
                strokeLinejoin="round"
              />
            </svg>
            <b>{item.title}</b>
            <p>{item.text}</p>
          </li>
        ))}
      </ul>
    </>
  )
}
