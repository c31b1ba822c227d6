import { useEffect, useRef, useState } from 'react'
import { recommendedPlan } from '../../catalog/catalog'
import { isInCampaign } from '../../catalog/deals'
import { cardChoice, useSelectedPlan } from '../../catalog/selected-plan'
import type { Refund } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { classNames } from '../../lib/class-names'
import { paths } from '../../lib/paths'
import { useTabStored } from '../../lib/use-stored'
import { account as texts } from '../../texts/account'
import { guarantee } from '../../texts/billing'
import { keptCoupon } from '../../texts/kept-coupon'
import { Button, ButtonLink } from '../../ui/button'
import { CardPage } from '../../ui/card'
import { FinishPurchase } from '../../ui/finish-purchase'
import { KeptPromotion } from '../../ui/kept-promotion'
import { Notice } from '../../ui/notice'
import { Sieve } from '../../ui/sieve'
import { PageLoading } from '../../ui/spinner'
import styles from './account.module.css'
import { FirstSteps } from './first-steps/first-steps'
import { InvoicesCard } from './invoices/invoices-card'
import { DataCard } from './own-data/data-card'
import { ProfileCard } from './profile/profile-card'
import { refundState } from './refund/refund'
import { RefundCard } from './refund/refund-cards'
import { SecurityCard } from './security/security-card'
import { useLogout } from './security/use-logout'
import {
  type AccountStatus,
  hasOpenCharge,
  isFirstChargeAhead,
  mayConclude,
} from './subscription/account-status'
import { type News, NewsNote } from './subscription/news-note'
import type { Payment } from './subscription/payment'
import { PaymentCard } from './subscription/payment-card'
import { NoSubscriptionCard, TrialCard, UnknownCard } from './subscription/status-cards'
import { Subscription } from './subscription/subscription'
import { type Account as AccountRead, refreshAccount, useAccount } from './use-account'

/** /area-usuario: profile, subscription, and open payments. */
export function Account() {
  const account = useAccount()
  const { leaving, logout } = useLogout(paths.login)
  if (account.kind === 'loading') return <PageLoading />
  if (account.kind === 'empty')
    return (
      <Notice art={<Sieve width={180} />} title={texts.empty.title} text={texts.empty.text}>
        <Button busy={leaving} onClick={logout}>
          {texts.empty.login}
        </Button>
      </Notice>
    )

  return <Ready account={account} />
}

function Ready({ account }: { account: Extract<AccountRead, { kind: 'ready' }> }) {
  const { profile, accountStatus, trialBeside, hasLostTrial, campaignEnd, balance, incomplete } = account
  const payment = useShownPayment(account.payment)
  const { news, note, showNews } = useNews()
  const refund = account.refund ?? news?.refund
  // A refund may be paid while its news is shown, so the title follows the refund's current state.
  const said =
    news?.refund && refund
      ? { ...news.said, title: guarantee.done.title[refundState(refund)] }
      : (news?.said ?? null)
  const mayFinish = mayConclude(accountStatus) && (payment.kind === 'none' || payment.kind === 'boleto')
  const chosen = useSelectedPlan()
  const plan = mayFinish ? chosen : null
  const conclude = plan && <FinishPurchase plan={plan} />
  const steps = <FirstSteps uid={profile.uid} createdAt={profile.createdAt} />
  return (
    <CardPage className={styles.page}>
      <h1>{texts.title}</h1>
      <div className={styles.columns}>
        <div className={classNames(styles.stack, styles.main)}>
          <NewsNote ref={note} news={said} />
          {payment.kind !== 'none' && <PaymentCard payment={payment} />}
          {refund && <RefundCard refund={refund} />}
          {!(accountStatus.kind === 'subscription' && hasOpenCharge(accountStatus.view)) && (
            <KeptPromotion text={keptCoupon.account}>
              <ButtonLink to={paths.plans} variant="secondary" size="sm">
                {keptCoupon.see}
              </ButtonLink>
            </KeptPromotion>
          )}
          {accountStatus.kind === 'subscription' && (
            <Subscription
              view={accountStatus.view}
              balance={balance}
              hasBoleto={payment.kind === 'boleto'}
              planChange={account.planChange}
              conclude={conclude}
              email={profile.email}
              hasLostTrial={hasLostTrial}
              onNews={showNews}
              steps={accountStatus.view.active === true && steps}
            />
          )}
          {accountStatus.kind === 'trial' && (
            <TrialCard
              end={accountStatus.end}
              campaignEnd={plan && !isInCampaign(plan) ? null : campaignEnd}
              chosen={plan}
              recommended={recommended}
              onOver={refreshAccount}
            />
          )}
          {accountStatus.kind === 'trial' && steps}
          {trialBeside && (
            <TrialCard end={trialBeside} beside={besideOf(accountStatus)} onOver={refreshAccount} />
          )}
          {accountStatus.kind === 'none' && <NoSubscriptionCard conclude={conclude} />}
          {(accountStatus.kind === 'unknown' || incomplete) && <UnknownCard partly={incomplete} />}
          <InvoicesCard likely={accountStatus.kind === 'subscription'} />
        </div>
        <div className={styles.side}>
          <ProfileCard profile={profile} />
          <SecurityCard />
          <DataCard email={profile.email} />
        </div>
      </div>
    </CardPage>
  )
}

/** The recommended plan by the month. */
const recommended = recommendedPlan && {
  choice: cardChoice(recommendedPlan, null),
  monthlyCentavos: recommendedPlan.monthlyCentavos,
}

/** Without the purchase that ended unpaid, once the person has put it aside in this tab. */
function useShownPayment(payment: Payment): Payment {
  const seen = useTabStored('lapsedSeen')
  return payment.kind === 'expired' && payment.purchase.id === seen ? { kind: 'none' } : payment
}

/** The first payment beside the trial: awaited, set for its end, or none after a cancellation. */
function besideOf(accountStatus: AccountStatus): 'waits' | 'set' | null {
  if (accountStatus.kind !== 'subscription' || !isFirstChargeAhead(accountStatus.view)) return 'waits'
  return accountStatus.view.details?.cancelAtPeriodEnd ? null : 'set'
}

/**
 * The message about the last action. Showing it moves the focus there and reads the account again.
 */
function useNews() {
  const [news, setNews] = useState<{ said: News; refund: Refund | undefined } | null>(null)
  const note = useRef<HTMLElement>(null)
  // After the dialog has returned the focus, because its opener may be gone.
  useEffect(() => {
    if (news) note.current?.focus()
  }, [news])
  const showNews = (said: News, refund?: Refund) => {
    setNews({ said, refund })
    refreshAccount()
  }
  return { news, note, showNews }
}
