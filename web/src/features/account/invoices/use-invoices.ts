import { createConnectQueryKey, useInfiniteQuery } from '@connectrpc/connect-query'
import { queryClient } from '../../../api/query-client'
import { transport } from '../../../api/transport'
import {
  BillingService,
  type Invoice,
  type ListInvoicesResponse,
} from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { useToasts } from '../../../lib/toasts'
import { useUid } from '../../../session/session'
import { invoices as texts } from '../../../texts/billing'

/** Enough for one look; the rest on demand. */
const PAGE_SIZE = 5

const { listInvoices } = BillingService.method

/** The invoices of an account, newest first, page by page. */
function useInvoicesQuery() {
  const uid = useUid()
  return useInfiniteQuery(
    listInvoices,
    { pageSize: PAGE_SIZE, pageToken: '' },
    {
      pageParamKey: 'pageToken',
      getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
      // A payment may have arrived meanwhile, in another tab or at the bank.
      refetchOnWindowFocus: 'always',
      enabled: uid !== null,
    },
  )
}

/** Reads again as many invoices as are shown. */
export function refreshInvoices(): void {
  const queryKey = createConnectQueryKey({ schema: listInvoices, transport, cardinality: 'infinite' })
  void queryClient.invalidateQueries({ queryKey })
}

/** The newest open invoice of this reason; undefined without one, and while it is not known. */
export function useOpenInvoice(reason: 'purchase' | 'renewal'): Invoice | undefined {
  const { data } = useInvoicesQuery()
  return data?.pages[0]?.invoices.find((invoice) => invoice.status === 'open' && invoice.reason === reason)
}

export function useInvoices() {
  const { show } = useToasts()
  const { data, isError, isFetching, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInvoicesQuery()

  const more = async () => {
    const { isFetchNextPageError } = await fetchNextPage()
    if (isFetchNextPageError) show({ kind: 'error', title: texts.moreFailed, about: 'invoices' })
  }
  return {
    invoices: data && withoutRepeats(data.pages),
    // What was read before is still true.
    isFailed: !data && isError && !isFetching,
    retry: () => void refetch(),
    more,
    hasMore: hasNextPage,
    loadingMore: isFetchingNextPage,
  }
}

/** A new invoice moves the older ones on, so that one may come with two pages. */
function withoutRepeats(pages: ListInvoicesResponse[]): Invoice[] {
  const invoices = pages.flatMap((page) => page.invoices)
  return [...new Map(invoices.map((invoice) => [invoice.id, invoice])).values()]
}
