import { classNames } from '../../../lib/class-names'
import { type DemoProduct, demo as texts } from '../../../texts/hero-art'
import { ChoicePill, choicePills } from '../../../ui/choice-pill'
import { Checks } from '../checks'
import styles from './post-demo-art.module.css'
import { ProductPicture } from './product-picture'

/**
 * The product at work, on a phone: a pasted link becomes the finished post in the group. Radio
 * buttons and CSS choose the example, so the demo needs no script and keeps the HTML of the build.
 */
export default function PostDemo() {
  return (
    <div className={classNames(styles.phone, 'by-day')}>
      {texts.products.map((product) => (
        <Screen product={product} key={product.id} />
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

function Screen({ product }: { product: DemoProduct }) {
  const { pasted, groups } = product
  return (
    <figure className={styles.screen}>
      <figcaption className="visually-hidden">{texts.caption}</figcaption>
      <div className={styles.bar}>
        <span className={styles.avatar} />
        <p>
          <b>{texts.promoter}</b> <span>{texts.example}</span>
        </p>
      </div>
      <p className={styles.pasted}>
        <span className="visually-hidden">{texts.pasted}</span> <span>{pasted}</span>
      </p>
      <Post product={product} />
      <p className={styles.sent}>
        <span>{texts.sentTo(groups)}</span> <Checks />
      </p>
    </figure>
  )
}

/** The post in its chat bubble: picture, title, price struck and new, coupon, link, time. */
function Post({ product }: { product: DemoProduct }) {
  return (
    <div className={styles.post}>
      <ProductPicture of={product.id} off={product.off} />
      <div className={styles.text}>
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
