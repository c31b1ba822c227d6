import { PlanInterval } from '../gen/garimpo/billing/v1/plan_pb'

/** What each interval is called, from the contract's enum. */
export const intervalNames: Partial<Record<PlanInterval, string>> = {
  [PlanInterval.MONTHLY]: 'Mensal',
  [PlanInterval.QUARTERLY]: 'Trimestral',
  [PlanInterval.SEMIANNUAL]: 'Semestral',
  [PlanInterval.ANNUAL]: 'Anual',
}
