import { Countdown } from '../../ui/countdown'
import styles from './trial.module.css'
import { useTrial } from './use-trial'

/** What is left of the trial, while it runs. */
export function TrialLeft({ text }: { text: string }) {
  const trial = useTrial()
  if (trial.kind !== 'running') return null
  return (
    <div className={styles.left}>
      <p>{text}</p>
      <Countdown end={trial.end} />
    </div>
  )
}
