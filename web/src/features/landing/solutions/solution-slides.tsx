import { classNames } from '../../../lib/class-names'
import { solutionSlides as texts } from '../../../texts/solution-slides'
import { Checks } from '../checks'
import promoterArt from './promoter-art.module.css'
import queuesArt from './queues-art.module.css'
import requestArt from './request-art.module.css'
import styles from './solution-slides.module.css'

const drawings = { promoter: <PromoterArt />, request: <RequestArt />, queues: <QueuesArt /> }

/** A slide: its text over its drawing. */
export function Slide({ of }: { of: keyof typeof texts }) {
  const { title, text } = texts[of]
  return (
    <div className={styles.slide}>
      <div className="stack">
        <p className={styles.name}>{title}</p>
        <p className={styles.text}>{text}</p>
      </div>
      {drawings[of]}
    </div>
  )
}

const queues = texts.queues

/** A timeline for each group, posts spaced by its interval; the first ones are out. */
function QueuesArt() {
  return (
    <div className={queuesArt.art} aria-hidden="true">
      {queues.list.map(({ group, every, times }) => (
        <div key={group}>
          <p className={queuesArt.group}>
            <span>{group}</span> <span className={queuesArt.every}>{every}</span>
          </p>
          <ol className={queuesArt.line}>
            {times.map((time, at) => (
              <li className={classNames(queuesArt.post, at === 0 && queuesArt.sent)} key={time}>
                <span className={queuesArt.dot}>{at === 0 && <Checks />}</span>
                <span>{time}</span>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </div>
  )
}

const request = texts.request

/** A request in plain words; poor offers lie on the mesh, one passes. */
function RequestArt() {
  return (
    <div className={requestArt.art} aria-hidden="true">
      <p className={requestArt.request}>{request.request}</p>
      <ul className={requestArt.refused}>
        {request.refused.map(({ name, fault }) => (
          <li key={name}>
            <span>{name}</span> <b>{fault}</b>
          </li>
        ))}
      </ul>
      <div className={requestArt.mesh} />
      <p className={requestArt.passed}>
        <span>{request.passed.title}</span>
        <span className={requestArt.price}>{request.passed.now}</span>
        <b className={requestArt.off}>{request.passed.off}</b>
      </p>
    </div>
  )
}

const promoter = texts.promoter

/** A link pasted in one bubble, the finished post in the next, on its way to three groups. */
function PromoterArt() {
  return (
    <div className={promoterArt.art} aria-hidden="true">
      <div className="stack">
        <p className={promoterArt.name}>{promoter.group}</p>
        <p className={promoterArt.pasted}>
          <span>{promoter.pasted}</span>
          <Checks />
        </p>
        <div className={promoterArt.post}>
          <p className={promoterArt.product}>
            <span>{promoter.post.title}</span> <b>{promoter.post.off}</b>
          </p>
          <p className={promoterArt.prices}>
            <s>{promoter.post.before}</s> <b>{promoter.post.now}</b>
          </p>
          <p className={promoterArt.coupon}>{promoter.post.coupon}</p>
          <p className={promoterArt.link}>{promoter.post.link}</p>
        </div>
      </div>
      <svg className={promoterArt.arrows} viewBox="0 0 64 180" fill="none" aria-hidden="true">
        <path d="M2 90C30 90 28 28 58 28M2 90h56M2 90c28 0 26 62 56 62" />
        <path d="m51 22 8 6-8 6M51 84l8 6-8 6M51 146l8 6-8 6" />
      </svg>
      <ul className={promoterArt.groups}>
        {promoter.groups.map((group) => (
          <li key={group}>
            <span>{group}</span>
            <Checks />
          </li>
        ))}
      </ul>
    </div>
  )
}
