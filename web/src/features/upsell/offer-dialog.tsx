import type { Interval } from '../../catalog/intervals'
import type { UpsellOffer } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { formatDate } from '../../lib/dates'
import { formatCentavos } from '../../lib/money'
import { upsell } from '../../texts/upsell'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Bill } from '../../ui/facts'
import { StruckPrice } from '../../ui/price'
import { descriptionOf } from './choice'
import styles from './upsell.module.css'

/** 'Confirmar mudança de plano': the offer once more, with every amount, before it is taken. */
export function OfferDialog({
  taken,
  busy,
  firstChargeAt,
  onBack,
  onConfirm,
}: {
  taken: { offer: UpsellOffer; interval: Interval } | null
  busy: boolean
  /** When the first payment is charged, where that is not at once. */
  firstChargeAt: Date | null
  onBack: () => void
  onConfirm: () => void
}) {
  const texts = upsell.dialog
  return (
    <Dialog open={taken !== null} title={texts.title} onClose={onBack} locked={busy}>
      {taken && (
        <>
          <div>
            <p className={styles.dialogTitle}>{taken.offer.title}</p>
            <p className="quiet">{descriptionOf(taken.offer, firstChargeAt)}</p>
          </div>
          <Bill
            facts={[
              [texts.original, <StruckPrice key="original" centavos={taken.offer.originalPriceCentavos} />],
              [texts.discount, upsell.discount(taken.offer.discount)],
              [texts.savings, texts.perMonth(formatCentavos(taken.offer.savingsAmountCentavos))],
              taken.offer.renewalPriceCentavos > 0n && [
                texts.renewal,
                texts.each(formatCentavos(taken.offer.renewalPriceCentavos), taken.interval.period),
              ],
            ]}
            total={[
              firstChargeAt ? texts.priceLater(formatDate(firstChargeAt)) : texts.price,
              taken.offer.priceCentavos,
            ]}
          />
          <div className={styles.dialogActions}>
            <Button variant="quiet" onClick={onBack} disabled={busy}>
              {texts.back}
            </Button>
            <Button onClick={onConfirm} busy={busy}>
              {busy ? texts.busy : texts.confirm}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
