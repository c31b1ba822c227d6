import type { ReactNode } from 'react'
import type { Boleto } from '../../gen/garimpo/billing/v1/billing_service_pb'
import { readSelectedPlan } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { account as texts } from '../../texts/account'
import { Button, ButtonLink } from '../../ui/button'
import { CardPage } from '../../ui/card'
import { EmptySieve } from '../../ui/empty-sieve'
import { Notice } from '../../ui/notice'
import { PageLoading } from '../../ui/spinner'
import styles from './account.module.css'
import { DataCard } from './data-card'
import { PaymentCard } from './payment-card'
import { ProfileCard } from './profile-card'
import { SecurityCard } from './security-card'
import { mayConclude } from './standing'
import { NoSubscriptionCard, SubscriptionCard, TrialCard, UnknownCard } from './subscription-card'
import { useAccount } from './use-account'
import { useLogout } from './use-logout'

/** /area-usuario: who one is, what one has, what waits to be paid. Spec section 2, user area. */
export function Account({ boletoSlip }: { boletoSlip: (boleto: Boleto) => ReactNode }) {
  const { account, reading, again } = useAccount()
  const { leaving, logout } = useLogout(paths.login)
  if (account.kind === 'loading') return <PageLoading />
  if (account.kind === 'empty')
    return (
      <Notice art={<EmptySieve />} title={texts.empty.title} text={texts.empty.text}>
        <Button busy={leaving} onClick={logout}>
          {texts.empty.login}
        </Button>
      </Notice>
    )

  const { profile, standing, payment, trialBeside } = account
  const plan = readSelectedPlan()
  return (
    <CardPage>
      <h1>{texts.title}</h1>
      <div className={styles.columns}>
        <div className={styles.stack}>
          {payment.kind !== 'none' && (
            <PaymentCard payment={payment} boletoSlip={boletoSlip} reading={reading} onAgain={again} />
          )}
          {standing.kind === 'subscription' && <SubscriptionCard held={standing.held} />}
          {standing.kind === 'trial' && <TrialCard end={standing.end} onOver={again} />}
          {trialBeside && <TrialCard end={trialBeside} beside onOver={again} />}
          {standing.kind === 'none' && <NoSubscriptionCard />}
          {standing.kind === 'unknown' && <UnknownCard busy={reading} onAgain={again} />}
          {plan && mayConclude(standing) && (payment.kind === 'none' || payment.kind === 'boleto') && (
            <ButtonLink to={paths.upsell} variant="secondary" wide>
              {texts.finish(plan.name)}
            </ButtonLink>
          )}
        </div>
        <ProfileCard profile={profile} onSaved={again} />
        <SecurityCard />
        <DataCard email={profile.email} />
      </div>
    </CardPage>
  )
}
