import styles from './pause-button.module.css'

/**
 * Stops an automatic movement (WCAG 2.2.2). Hidden with reduced motion, because nothing moves then.
 */
export function PauseButton({
  paused,
  onChange,
  texts,
}: {
  paused: boolean
  onChange: (paused: boolean) => void
  texts: { pause: string; resume: string }
}) {
  return (
    <button type="button" className={styles.button} onClick={() => onChange(!paused)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path
          fill="currentColor"
          d={paused ? 'M4 2.5v11l9-5.500z' : 'M3.500 2.500h3v11h-3zM9.500 2.500h3v11h-3z'}
        />
      </svg>
      <span>{paused ? texts.resume : texts.pause}</span>
    </button>
  )
}
