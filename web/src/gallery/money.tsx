import { useState } from 'react'
import { DAY_MS, MINUTE_MS } from '../lib/timers'
import { Barcode } from '../ui/barcode'
import { Countdown, InlineCountdown } from '../ui/countdown'
import { Bill, Facts } from '../ui/facts'
import { KeptCoupon } from '../ui/kept-coupon'
import { KeptPromotion } from '../ui/kept-promotion'
import { Price, StruckPrice } from '../ui/price'
import type { Parts } from './parts'

const COUPON = 'O desconto entra no primeiro mês de qualquer Elite.'

export const money = {
  Price: {
    states: {
      md: <Price centavos={97_90} />,
      lg: <Price centavos={197_90} size="lg" />,
      xl: <Price centavos={1_187_40} size="xl" />,
      credit: <Price centavos={-25_00} />,
    },
    dark: { 'on a dark ground': <Price centavos={197_90} size="lg" /> },
  },
  StruckPrice: { states: { 'before the price': <StruckPrice centavos={237_90} /> } },
  Facts: {
    states: {
      'alone: its place lays it out': (
        <Facts
          facts={[
            ['Plano', 'Elite Nível 2'],
            ['Período', 'Anual'],
          ]}
        />
      ),
    },
  },
  Bill: {
    states: {
      'with a total': (
        <Bill
          facts={[
            ['Elite Nível 2, anual', 'R$ 1.187,40'],
            ['Crédito do plano atual', '- R$ 87,20'],
          ]}
          total={['Total hoje', 1_100_20]}
        />
      ),
      'facts alone': (
        <Bill
          facts={[
            ['Hoje', 'Top Afiliado, mensal'],
            ['Depois', 'Elite Nível 2, anual'],
          ]}
        />
      ),
    },
  },
  Countdown: {
    states: {
      'all parts': <SampleCountdown />,
      'minutes and seconds': <SampleCountdown minutesOnly />,
      over: <Countdown end={new Date(0)} />,
      small: <Countdown end={new Date(0)} size="sm" />,
    },
  },
  InlineCountdown: { states: { running: <InlineSample /> } },
  KeptCoupon: { wide: { kept: <KeptCoupon code="BF40" text={COUPON} /> } },
  KeptPromotion: { wide: { 'nothing kept: it shows nothing': <KeptPromotion text={COUPON} /> } },
  Barcode: {
    wide: {
      'valid digits': (
        <Barcode digits="23793381286000000000123400000000019999000019" label="Código de barras do boleto" />
      ),
      'invalid digits: it shows nothing': <Barcode digits="1x" label="" />,
    },
  },
} satisfies Parts

function SampleCountdown({ minutesOnly = false }: { minutesOnly?: boolean }) {
  const [end] = useState(() => new Date(Date.now() + (minutesOnly ? 15 * MINUTE_MS : 3.2 * DAY_MS)))
  return minutesOnly ? <Countdown end={end} parts={['minutes', 'seconds']} /> : <Countdown end={end} />
}

function InlineSample() {
  const [end] = useState(() => new Date(Date.now() + 15 * MINUTE_MS))
  return (
    <p>
      <span>Esta oferta vale por mais</span> <InlineCountdown end={end} />
    </p>
  )
}
