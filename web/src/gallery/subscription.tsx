import { create } from '@bufbuild/protobuf'
import { BoletoSchema } from '../gen/garimpo/billing/v1/billing_service_pb'
import { BoletoNotice, BoletoSlip, OpenBoleto } from '../parts/boleto'
import { ManagePlan } from '../parts/manage-plan'
import { CampaignEnd, TrialFirst, TrialLeft, TrialLine } from '../parts/trial'
import { openBoleto } from '../texts/boleto'
import { paymentCanceled } from '../texts/results'
import type { Parts } from './parts'
import { inDays } from './visitor'

const boleto = create(BoletoSchema, {
  line: '23793381286000000000123400000000019999000019790',
  barcode: '23793381286000000000123400000000019999000019',
  amountCentavos: 197_90n,
  dueAt: inDays(3),
})

export const subscription = {
  // Each in a frame, because a page has one.
  BoletoNotice: {
    frame: 280,
    states: { unpaid: <BoletoNotice boleto={boleto} more={openBoleto.stillHolds} /> },
  },
  OpenBoleto: { frame: 280, states: { 'before another payment': <OpenBoleto once /> } },
  BoletoSlip: { states: { 'with its bar code': <BoletoSlip boleto={boleto} /> } },
  ManagePlan: {
    states: {
      primary: <ManagePlan />,
      'small, secondary': <ManagePlan size="sm" variant="secondary" />,
    },
  },
  TrialFirst: { wide: { 'on the day of the sign-up': <TrialFirst /> } },
  TrialLeft: { states: { running: <TrialLeft text={paymentCanceled.trial} /> } },
  TrialLine: { states: { 'beside an amount': <TrialLine todayCentavos={197_90} /> } },
  CampaignEnd: { states: { 'before the trial ends': <CampaignEnd /> } },
} satisfies Parts
