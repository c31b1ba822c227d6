import { useCallback, useEffect, useState } from 'react'
import { call } from '../../api/call'
import type { Invoice } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { useToasts } from '../../lib/toasts'
import { invoices as texts } from '../../texts/billing'

export type InvoiceList =
  | { kind: 'loading' }
  | { kind: 'failed' }
  | { kind: 'ready'; invoices: readonly Invoice[]; next: string }

/** Enough for one look; the rest on demand. */
const PAGE_SIZE = 5

/** The invoices, newest first, read again whenever `version` changes. */
export function useInvoices(version: number) {
  const { show } = useToasts()
  const [list, setList] = useState<InvoiceList>({ kind: 'loading' })
  const [asked, setAsked] = useState(0)
  const [loadingMore, setLoadingMore] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again, or of another version
  useEffect(() => {
    let wanted = true
    page('').then(
      (loaded) => wanted && setList(loaded),
      (cause: unknown) => {
        console.warn('listing the invoices failed', cause)
        // What was read before is still true.
        if (wanted) setList((before) => (before.kind === 'ready' ? before : { kind: 'failed' }))
      },
    )
    return () => {
      wanted = false
    }
  }, [version, asked])

  const retry = useCallback(() => {
    setList({ kind: 'loading' })
    setAsked((times) => times + 1)
  }, [])

  const more = async () => {
    if (list.kind !== 'ready') return
    setLoadingMore(true)
    try {
      const loaded = await page(list.next)
      const known = new Set(list.invoices.map(({ id }) => id))
      const fresh = loaded.invoices.filter(({ id }) => !known.has(id))
      setList({ ...loaded, invoices: [...list.invoices, ...fresh] })
    } catch (cause) {
      console.warn('listing more invoices failed', cause)
      show({ kind: 'error', title: texts.moreFailed, about: 'invoices' })
    } finally {
      setLoadingMore(false)
    }
  }
  return { list, retry, more, loadingMore }
}

async function page(pageToken: string): Promise<Extract<InvoiceList, { kind: 'ready' }>> {
  const answer = await call(({ billing }) => billing.listInvoices({ pageSize: PAGE_SIZE, pageToken }))
  return { kind: 'ready', invoices: answer.invoices, next: answer.nextPageToken }
}
