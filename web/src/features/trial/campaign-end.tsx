import { useQuery } from '@tanstack/react-query'
import { subscriptionQuery } from '../../api/subscription'
import { lastDay, toDate } from '../../lib/dates'
import { useUid } from '../../session/session'
import { campaignEnds } from '../../texts/campaign'
import styles from './trial.module.css'

/** That the Black November prices end before the running trial does. */
export function CampaignEnd() {
  const { data } = useQuery(subscriptionQuery(useUid()))
  const end = toDate(data?.campaignEndsAt)
  return end && <p className={styles.note}>{campaignEnds(lastDay(end))}</p>
}
