import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../../api/call'
import { queryClient } from '../../../api/query-client'
import type { Invoice, ListInvoicesResponse } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { useToasts } from '../../../lib/toasts'
import { useUid } from '../../../session/session'
import { invoices as texts } from '../../../texts/billing'

/** Enough for one look; the rest on demand. */
const PAGE_SIZE = 5

/** The invoices of an account, newest first, page by page. */
const invoicesQuery = (uid: string | null) =>
  infiniteQueryOptions({
    queryKey: ['invoices', uid],
    queryFn: ({ pageParam }) =>
      call(({ billing }) => billing.listInvoices({ pageSize: PAGE_SIZE, pageToken: pageParam })),
    initialPageParam: '',
    getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
    // A payment may have arrived meanwhile, in another tab or at the bank.
    refetchOnWindowFocus: 'always',
    enabled: uid !== null,
  })

/** Reads again as many invoices as are shown. */
export function refreshInvoices(uid: string): void {
  void queryClient.invalidateQueries({ queryKey: invoicesQuery(uid).queryKey })
}

/** The newest open invoice of this reason; undefined without one, and while it is not known. */
export function useOpenInvoice(reason: 'purchase' | 'renewal'): Invoice | undefined {
  const { data } = useInfiniteQuery(
    {
      ...invoicesQuery(useUid()),
      select: ({ pages: [newest] }) =>
        newest?.invoices.find((invoice) => invoice.status === 'open' && invoice.reason === reason),
    },
    queryClient,
  )
  return data
}

export function useInvoices() {
  const { show } = useToasts()
  const { data, isError, isFetching, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(
      { ...invoicesQuery(useUid()), select: ({ pages }) => withoutRepeats(pages) },
      queryClient,
    )

  const more = async () => {
    const { isFetchNextPageError } = await fetchNextPage()
    if (isFetchNextPageError) show({ kind: 'error', title: texts.moreFailed, about: 'invoices' })
  }
  return {
    invoices: data,
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
