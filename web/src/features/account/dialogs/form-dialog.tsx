import type { DescMessage, DescMethodUnary, MessageInitShape } from '@bufbuild/protobuf'
import { useQuery } from '@connectrpc/connect-query'
import type { ComponentProps } from 'react'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Form } from '../../../ui/form'
import formStyles from '../../../ui/form.module.css'
import { Spinner } from '../../../ui/spinner'
import styles from '../settings.module.css'

/** A dialog that is one form. */
export function FormDialog(
  form: ComponentProps<typeof Form> & DialogProps & { texts: { title: string; back: string } },
) {
  return (
    <Dialog title={form.texts.title} onClose={form.onClose} locked={form.busy}>
      <Form {...form} />
    </Dialog>
  )
}

export interface DialogProps {
  onClose: () => void
}

/** Content of a dialog while it is read, and its error and retry after a failed read. */
export function DialogWait({
  failed,
  texts,
  onBack,
  onRetry,
}: {
  failed: boolean
  texts: { loading: string; failed: string; back: string; retry: string }
  onBack: () => void
  onRetry: () => void
}) {
  return (
    <>
      {failed ? (
        <p role="alert">{texts.failed}</p>
      ) : (
        <p className={styles.wait} role="status">
          <Spinner size="sm" />
          <span>{texts.loading}</span>
        </p>
      )}
      <div className={formStyles.actions}>
        <Button variant="quiet" onClick={onBack}>
          {texts.back}
        </Button>
        {failed && <Button onClick={onRetry}>{texts.retry}</Button>}
      </div>
    </>
  )
}

/** A read of a dialog, made when it opens; within `staleTime` only once. */
export function useDialogRead<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  input: MessageInitShape<Input>,
  staleTime = 0,
) {
  const { data, isFetching, isError, refetch } = useQuery(method, input, { staleTime })
  return {
    answer: isFetching || isError ? undefined : data,
    isFailed: isError && !isFetching,
    refetch: () => void refetch(),
  }
}

/** The error and retry of a failed read. */
export function ReadFailed({
  texts,
  onRetry,
}: {
  texts: { failed: string; retry: string }
  onRetry: () => void
}) {
  return (
    <div className={styles.check} role="alert">
      <p>{texts.failed}</p>
      <Button size="sm" variant="secondary" onClick={onRetry}>
        {texts.retry}
      </Button>
    </div>
  )
}
