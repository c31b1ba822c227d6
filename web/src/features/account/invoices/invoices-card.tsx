import { useEffect, useRef } from 'react'
import type { Invoice } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { classNames } from '../../../lib/class-names'
import { invoices as texts } from '../../../texts/billing'
import { Button } from '../../../ui/button'
import account from '../account.module.css'
import styles from '../billing.module.css'
import { ReadFailed } from '../dialogs/form-dialog'
import { Fold } from '../fold'
import { invoiceLine } from './invoice-line'
import { useInvoices } from './use-invoices'

/** The invoices, with the provider's receipts; `likely`: there are some. */
export function InvoicesCard({ likely }: { likely: boolean }) {
  const { invoices, isFailed, retry, more, hasMore, loadingMore } = useInvoices()
  const rows = useRef<HTMLUListElement>(null)
  // The button may be gone: the first of those that it brought takes the focus.
  const shownBefore = useRef<number | null>(null)
  const showMore = () => {
    shownBefore.current = rows.current?.children.length ?? 0
    void more()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the list has grown
  useEffect(() => {
    const first = shownBefore.current === null ? null : rows.current?.children[shownBefore.current]
    if (!(first instanceof HTMLElement)) return
    shownBefore.current = null
    first.focus()
  }, [invoices])
  return (
    <Fold label={texts.title}>
      {!invoices && !isFailed && (likely ? <Skeleton /> : <Wait />)}
      {isFailed && <ReadFailed texts={texts} onRetry={retry} />}
      {invoices?.length === 0 && <p className="quiet">{texts.empty}</p>}
      {invoices && invoices.length > 0 && (
        <ul ref={rows}>
          {invoices.map((invoice) => (
            <Row key={invoice.id} invoice={invoice} />
          ))}
        </ul>
      )}
      {hasMore && (
        <div className={account.deeds}>
          <Button size="sm" variant="secondary" busy={loadingMore} onClick={showMore}>
            {loadingMore ? texts.loadingMore : texts.more}
          </Button>
        </div>
      )}
    </Fold>
  )
}

function Row({ invoice }: { invoice: Invoice }) {
  const { what, plan, date, number, amount, notes, method, paper, status, tone } = invoiceLine(invoice)
  return (
    <li className={styles.invoice} tabIndex={-1}>
      <div>
        <p className={styles.what}>{what}</p>
        <p className={classNames('quiet', styles.when)}>
          <span>{date}</span>
          {plan && <span>{plan}</span>}
          {number && <span>{number}</span>}
        </p>
      </div>
      <div className={styles.amount}>
        <p className={styles.what}>{amount}</p>
        {notes.map((note) => (
          <p key={note} className="quiet">
            {note}
          </p>
        ))}
      </div>
      <p className={styles.state}>
        <span className={classNames(account.status, account[tone], styles[tone])}>{status}</span>
        {method && <span className="quiet">{method}</span>}
      </p>
      <p className={styles.papers}>
        {/* An open boleto is its own paper. */}
        {invoice.boleto?.voucherUrl ? (
          <Paper href={invoice.boleto.voucherUrl} label={texts.boletoOf(date)}>
            {texts.boleto}
          </Paper>
        ) : (
          invoice.receiptUrl && (
            <Paper href={invoice.receiptUrl} label={texts.paperOf[paper](what, date)}>
              {texts.papers[paper]}
            </Paper>
          )
        )}
      </p>
    </li>
  )
}

function Paper({ href, label, children }: { href: string; label: string; children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener" aria-label={label}>
      {children}
    </a>
  )
}

/** As high as the text for no invoices, so that nothing moves. */
function Wait() {
  return (
    <p className="quiet" role="status">
      {texts.loading}
    </p>
  )
}

/** As high as three rows, so that nothing moves when they come. */
function Skeleton() {
  return (
    <div role="status">
      <span className="visually-hidden">{texts.loading}</span>
      <div aria-hidden="true">
        {[1, 2, 3].map((row) => (
          <div key={row} className={classNames(styles.invoice, styles.skeleton)}>
            <span />
            <span />
            <span />
            <span />
          </div>
        ))}
      </div>
    </div>
  )
}
