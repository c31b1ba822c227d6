import { useId, useState } from 'react'
import { paths } from '../../lib/paths'
import { consent } from '../../texts/consent'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Link } from '../../ui/link'
import styles from './consent.module.css'

const texts = consent.dialog

interface Choosing {
  allowed: boolean
  onClose: () => void
  onChoose: (allowed: boolean) => void
}

/**
 * Every purpose by itself: what is needed and what is counted without anybody's data cannot be
 * switched off.
 */
export default function ConsentDialog({ open, ...choosing }: Choosing & { open: boolean }) {
  return (
    <Dialog open={open} title={texts.title} onClose={choosing.onClose}>
      <Purposes {...choosing} />
    </Dialog>
  )
}

function Purposes({ allowed, onClose, onChoose }: Choosing) {
  const [ads, setAds] = useState(allowed)
  const id = useId()
  return (
    <>
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
    </>
  )
}
