import { planName } from '../../catalog/plan-names'
import type { Elements } from '../../lib/elements'
import { formatCentavos } from '../../lib/money'
import { paths } from '../../lib/paths'
import { checkout } from '../../texts/checkout'
import { confirmPayment as texts } from '../../texts/confirm-payment'
import { Button, ButtonLink } from '../../ui/button'
import { EmptySieve } from '../../ui/empty-sieve'
import { NewTabLink } from '../../ui/new-tab-link'
import { PageLoading } from '../../ui/spinner'
import { CheckoutCard, CheckoutFrame } from './checkout-card'
import { useConfirmPayment } from './use-confirm-payment'
import { useIsSlow } from './use-is-slow'

/**
 * /confirmar-pagamento: the payer authenticates a renewal or a plan change that the bank did not
 * let pass without them.
 */
export function ConfirmPayment({ otherCard }: { otherCard: Elements }) {
  return (
    <CheckoutFrame title={texts.title}>
      <Screen otherCard={otherCard} />
    </CheckoutFrame>
  )
}

function Screen({ otherCard }: { otherCard: Elements }) {
  const { screen, confirm, again } = useConfirmPayment()
  const account = (
    <ButtonLink href={paths.account} variant="secondary">
      {texts.account}
    </ButtonLink>
  )
  if (screen.kind === 'loading') return <PageLoading label={texts.loading} />
  if (screen.kind === 'restricted')
    return (
      <CheckoutCard title={checkout.restricted.title} text={texts.restricted} art={<EmptySieve />}>
        <ButtonLink href={paths.login}>{checkout.restricted.login}</ButtonLink>
      </CheckoutCard>
    )
  if (screen.kind === 'checking') return <Checking account={account} />
  if (screen.kind === 'paid' || screen.kind === 'nothing') {
    const isPaid = screen.kind === 'paid'
    const told =
      screen.kind === 'paid' && screen.newPlan ? texts.changed(planName(screen.newPlan)) : texts[screen.kind]
    return (
      <div role={isPaid ? 'status' : undefined}>
        <CheckoutCard {...told} tone={isPaid ? 'good' : 'plain'}>
          <ButtonLink href={paths.account}>{texts.account}</ButtonLink>
        </CheckoutCard>
      </div>
    )
  }
  if (screen.kind === 'unavailable')
    return (
      <CheckoutCard title={texts.unavailable.title} text={texts.unavailable.text} tone="bad">
        <Button onClick={again}>{texts.again}</Button>
        <HostedPage url={screen.hostedUrl} />
        {account}
      </CheckoutCard>
    )
  const { payment, refusal } = screen
  const isWorking = screen.step === 'working'
  const amount = formatCentavos(payment.amountCentavos)
  const asked = payment.isPlanChange ? texts.askedForChange : texts.asked
  const refused = refusal === 'declined' && payment.isPlanChange ? 'declinedChange' : refusal
  const told = refused ? texts.refused[refused] : asked(amount, planName(payment.planId))
  return (
    <div role={refusal ? 'alert' : undefined}>
      <CheckoutCard title={told.title} text={told.text} tone={refusal ? 'bad' : 'plain'}>
        {refusal !== 'declined' && (
          <Button busy={isWorking} onClick={confirm}>
            {isWorking ? texts.working : refusal ? texts.again : texts.confirm(amount)}
          </Button>
        )}
        {otherCard}
        {refusal === 'failed' && <HostedPage url={payment.hostedInvoiceUrl} />}
        {account}
      </CheckoutCard>
    </div>
  )
}

function Checking({ account }: { account: Elements }) {
  const isSlow = useIsSlow()
  return (
    <>
      <PageLoading label={texts.checking} />
      {isSlow && (
        <div role="status">
          <CheckoutCard title={texts.slow.title} text={texts.slow.text}>
            {account}
          </CheckoutCard>
        </div>
      )}
    </>
  )
}

/** The provider's own page of the invoice, which can be paid there as well. */
function HostedPage({ url }: { url: string }) {
  if (!url) return null
  return (
    <NewTabLink href={url} variant="secondary">
      {texts.hosted}
    </NewTabLink>
  )
}
