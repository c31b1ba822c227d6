import { useId, useState } from 'react'
import { paths } from '../../lib/paths'
import { consent } from '../../texts/consent'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Link } from '../../ui/link'
import styles from './consent.module.css'

const texts = consent.dialog

/**
 * Every purpose by itself: what is needed and what is counted without anybody's data cannot be
 * switched off.
 */
export default function ConsentDialog({
  allowed,
  onClose,
  onChoose,
}: {
  allowed: boolean
  onClose: () => void
  onChoose: (allowed: boolean) => void
}) {
  const [ads, setAds] = useState(allowed)
  const id = useId()
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p>
        <span>{texts.lead}</span>{' '}
        <Link to={paths.privacy} onClick={onClose}>
          {texts.policy}
        </Link>
      </p>
      <ul className={styles.purposes}>
        {[texts.essential, texts.counting].map(({ title, text }) => (
          <li key={title}>
            <strong>{title}</strong>
            <p className="quiet">{text}</p>
          </li>
        ))}
        <li>
          <label className={styles.choice}>
            <input
              type="checkbox"
              checked={ads}
              aria-describedby={id}
              onChange={(event) => setAds(event.target.checked)}
            />
            <strong>{texts.ads.title}</strong>
          </label>
          <p id={id} className="quiet">
            {texts.ads.text}
          </p>
        </li>
      </ul>
      <div className={styles.actions}>
        <Button variant="quiet" onClick={onClose}>
          {texts.back}
        </Button>
        <Button onClick={() => onChoose(ads)}>{texts.save}</Button>
      </div>
    </Dialog>
  )
}
