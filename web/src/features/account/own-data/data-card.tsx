import { useState } from 'react'
import { call } from '../../../api/call'
import { useAction } from '../../../forms/use-action'
import { saveFile } from '../../../lib/save-file'
import { exportError, ownData as texts } from '../../../texts/account-settings'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import styles from '../account.module.css'
import { DeleteDialog } from './delete-dialog'

/**
 * What the law gives a person over their data: a copy of it all, and the end of the account (LGPD,
 * article 18).
 */
export function DataCard({ email }: { email: string }) {
  const [removing, setRemoving] = useState(false)
  const { busy, run } = useAction(
    'export',
    async () => {
      const { json } = await call(({ users }) => users.exportMyData({}))
      saveFile(texts.file, 'application/json', json)
      return { title: texts.downloaded }
    },
    exportError,
  )
  return (
    <Card className={styles.card} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="quiet">{texts.lead}</p>
      <div className={styles.actions}>
        <Button variant="secondary" busy={busy} onClick={run}>
          {busy ? texts.downloading : texts.download}
        </Button>
        <Button variant="quiet" className={styles.minor} onClick={() => setRemoving(true)}>
          {texts.remove}
        </Button>
      </div>
      <DeleteDialog open={removing} email={email} onClose={() => setRemoving(false)} />
    </Card>
  )
}
