import { post } from '../../texts/hero-art'
import styles from './post-card.module.css'

/** The finished post in its chat bubble: title, price struck and new, coupon, link, time. */
export function PostCard() {
  return (
    <figure className={styles.figure}>
      <figcaption className="visually-hidden">{post.caption}</figcaption>
      <div className={styles.group}>
        <span className={styles.avatar}>
          <svg viewBox="0 0 24 24" width="18" height="18" fill="none" aria-hidden="true">
            <path
              d="M4 11.5 12 5l8 6.500M6.500 10v8.500h11V10"
              stroke="currentColor"
              strokeWidth="2"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </svg>
        </span>
        {post.group}
      </div>
      <div className={styles.bubble}>
        <ProductPicture />
        <div className={styles.text}>
          <p className={styles.by}>{post.by}</p>
          <p className={styles.title}>{post.title}</p>
          <p className={styles.prices}>
            {post.was} <s>{post.wasPrice}</s> {post.now} <b>{post.nowPrice}</b>
          </p>
          <p className={styles.coupon}>{post.coupon}</p>
          <p className={styles.foot}>
            <span className={styles.link}>{post.link}</span>
            <span className={styles.time}>
              {post.time}
              <svg viewBox="0 0 18 12" width="18" height="12" fill="none" aria-hidden="true">
                <path
                  d="m1 6.500 3.500 3.500L11 2.500M8 9l1 1 7-7.500"
                  stroke="currentColor"
                  strokeWidth="1.6"
                  strokeLinecap="round"
                  strokeLinejoin="round"
                />
              </svg>
            </span>
          </p>
        </div>
      </div>
    </figure>
  )
}

function ProductPicture() {
  return (
    <svg className={styles.picture} viewBox="0 0 96 128" fill="none" aria-hidden="true">
      <rect className={styles.ground} width="96" height="128" />
      <ellipse className={styles.shadow} cx="48" cy="105" rx="30" ry="5" />
      <path
        className={styles.body}
        d="M22 44c0-14 9-21 26-21s26 7 26 21v47c0 8-5 12-12 12H34c-7 0-12-4-12-12z"
      />
      <path className={styles.drawer} d="M26 62h44v27c0 5-3 8-8 8H34c-5 0-8-3-8-8z" />
      <rect className={styles.handle} x="41" y="68" width="14" height="22" rx="6" />
      <circle className={styles.dial} cx="48" cy="43" r="8" />
      <path className={styles.hand} d="M48 43v-5" />
    </svg>
  )
}
