import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { signUp } from '../../texts/sign-up'
import { Button } from '../../ui/button'
import styles from './auth-page.module.css'
import { type AskedChallenge, reloadForPolicy, showChallenge } from './challenge-widget'

/**
 * The provider's challenge, whose script comes with it. `onResponse` gets the response once it is
 * solved, and an empty one when that has expired.
 */
export function Challenge({
  asked,
  onResponse,
}: {
  asked: AskedChallenge
  onResponse: (response: string) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const [trouble, setTrouble] = useState<{ of: AskedChallenge; kind: 'failed' | 'expired' } | null>(null)
  const [tries, setTries] = useState(0)
  const respond = useEffectEvent(onResponse)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try shows it anew
  useEffect(() => {
    if (!place.current) return
    const fail = () => setTrouble({ of: asked, kind: 'failed' })
    const expire = () => {
      respond('')
      setTrouble({ of: asked, kind: 'expired' })
    }
    return showChallenge(asked, place.current, { solve: (response) => respond(response), expire, fail })
  }, [asked, tries])

  const again = () => {
    if (reloadForPolicy()) return
    setTrouble(null)
    setTries(tries + 1)
  }
  const { challenge: texts } = signUp
  const kind = trouble?.of === asked ? trouble.kind : null
  return (
    <div className={styles.challenge}>
      <p role="alert">{texts[kind ?? asked.because]}</p>
      <div className={styles.widget} ref={place} />
      {kind === 'failed' && (
        <Button variant="secondary" onClick={again}>
          {texts.again}
        </Button>
      )}
    </div>
  )
}
