import { type Product, demo as texts } from '../../../texts/hero-art'
import { ChoicePill, choicePills } from '../../../ui/choice-pill'
import { Checks } from '../checks'
import styles from './post-demo.module.css'

/**
 * The product at work: a pasted link becomes the finished post in the group. Radio buttons and CSS
 * choose the example, so the demo needs no script and keeps the HTML of the build.
 */
export default function PostDemo() {
  return (
    <div className={styles.demo}>
      {texts.products.map((product) => (
        <Made product={product} key={product.id} />
      ))}
      <fieldset className={styles.pick}>
        <legend>{texts.pick}</legend>
        <div className={choicePills}>
          {texts.products.map(({ id, name }, at) => (
            <ChoicePill name="demo" defaultChecked={at === 0} key={id}>
              {name}
            </ChoicePill>
          ))}
        </div>
      </fieldset>
      <p className={styles.maker}>{texts.made}</p>
    </div>
  )
}

function Made({ product }: { product: Product }) {
  const { pasted, before, now, coupon, groups } = product
  return (
    <figure className={styles.made}>
      <figcaption className="visually-hidden">{texts.caption}</figcaption>
      <p className={styles.pasted}>
        <span className="visually-hidden">{texts.pasted}</span> <span>{pasted}</span>
      </p>
      <Post product={product} />
      <ul className={styles.steps}>
        <li>{texts.checked(before, now)}</li>
        <li>{texts.couponFound(coupon)}</li>
        <li>{texts.linkReplaced}</li>
        <li>{texts.sentTo(groups)}</li>
      </ul>
    </figure>
  )
}

/** The post in its chat bubble: title, price struck and new, coupon, link, time. */
function Post({ product }: { product: Product }) {
  return (
    <div className={styles.bubble}>
      <svg className={styles.picture} viewBox="0 0 96 128" fill="none" aria-hidden="true">
        {PICTURES[product.id]}
      </svg>
      <div className={styles.text}>
        <p className={styles.by}>{`${texts.by} · ${product.groups[0]}`}</p>
        <p className={styles.title}>{product.title}</p>
        <p className={styles.prices}>
          <span>{texts.was}</span> <s>{product.before}</s> <span>{texts.now}</span> <b>{product.now}</b>
        </p>
        <p className={styles.coupon}>{texts.coupon(product.coupon)}</p>
        <p className={styles.foot}>
          <span className={styles.link}>{product.link}</span>
          <span className={styles.time}>
            <span>{product.time}</span>
            <Checks strokeWidth="1.6" />
          </span>
        </p>
      </div>
    </div>
  )
}

const PICTURES = {
  fritadeira: (
    <>
      <path fill="var(--tinta)" d="M22 44c0-14 9-21 26-21s26 7 26 21v47c0 8-5 12-12 12H34c-7 0-12-4-12-12z" />
      <path fill="var(--noite-linha)" d="M26 62h44v27c0 5-3 8-8 8H34c-5 0-8-3-8-8z" />
      <rect fill="var(--seixo-claro)" x="41" y="68" width="14" height="22" rx="6" />
      <circle fill="var(--seixo-claro)" cx="48" cy="43" r="8" />
    </>
  ),
  tenis: (
    <>
      <path
        fill="var(--tinta)"
        d="M16 82V59c11 6 18 3 22-5l22 15c8 6 22 3 22 16v4c0 3-2 5-5 5H21c-3 0-5-2-5-5z"
      />
      <path fill="var(--seixo-claro)" d="M16 88h66v4c0 3-2 5-5 5H21c-3 0-5-2-5-5z" />
    </>
  ),
  fone: (
    <path
      fill="var(--tinta)"
      d="M17 72v-8a31 31 0 0 1 62 0v8a8 8 0 0 1 0 21h-11V69h4v-5a24 24 0 0 0-48 0v5h4v24H17a8 8 0 0 1 0-21z"
    />
  ),
}
