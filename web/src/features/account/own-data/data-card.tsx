import { useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { saveFile } from '../../../lib/save-file'
import { useToasts } from '../../../lib/toasts'
import { exportError, ownData as texts } from '../../../texts/account-settings'
import { Button } from '../../../ui/button'
import { Card } from '../../../ui/card'
import styles from '../account.module.css'
import { DeleteDialog } from './delete-dialog'

/** What the law gives a person over their data: a copy of it all, and the end of the account (LGPD, article 18). */
export function DataCard({ email }: { email: string }) {
  const { show } = useToasts()
  const [preparing, setPreparing] = useState(false)
  const [removing, setRemoving] = useState(false)
  const download = async () => {
    setPreparing(true)
    try {
      const { json } = await call(({ users }) => users.exportMyData({}))
      saveFile(texts.file, 'application/json', json)
      show({ kind: 'success', title: texts.downloaded, about: 'export' })
    } catch (cause) {
      show({ kind: 'error', title: exportError(reasonOf(cause)), about: 'export' })
    } finally {
      setPreparing(false)
    }
  }
  return (
    <Card className={styles.card} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className={styles.quiet}>{texts.lead}</p>
      <div className={styles.actions}>
        <Button variant="secondary" busy={preparing} onClick={download}>
          {preparing ? texts.downloading : texts.download}
        </Button>
        <Button variant="quiet" className={styles.minor} onClick={() => setRemoving(true)}>
          {texts.remove}
        </Button>
      </div>
      <DeleteDialog open={removing} email={email} onClose={() => setRemoving(false)} />
    </Card>
  )
}
