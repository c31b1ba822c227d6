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
    use: 'Heavy figures, a lighter sign, smaller centavos.',
    samples: [
      { state: 'md', content: <Price centavos={97_90} /> },
      { state: 'lg', content: <Price centavos={197_90} size="lg" /> },
      { state: 'xl', content: <Price centavos={1_187_40} size="xl" /> },
      { state: 'credit', content: <Price centavos={-25_00} /> },
      { state: 'on a dark ground', ground: 'inverse', content: <Price centavos={197_90} size="lg" /> },
    ],
  },
  StruckPrice: {
    use: 'The amount that is compared with.',
    samples: [{ state: 'before the price', content: <StruckPrice centavos={237_90} /> }],
  },
  Facts: {
    use: 'Names and values, one a line. What there is not to say is left out.',
    samples: [
      {
        state: 'alone: its place lays it out',
        content: (
          <Facts
            facts={[
              ['Plano', 'Elite Nível 2'],
              ['Período', 'Anual'],
            ]}
          />
        ),
      },
    ],
  },
  Bill: {
    use: 'What makes an amount, and the amount.',
    samples: [
      {
        state: 'with a total',
        content: (
          <Bill
            facts={[
              ['Elite Nível 2, anual', 'R$ 1.187,40'],
              ['Crédito do plano atual', '- R$ 87,20'],
            ]}
            total={['Total hoje', 1_100_20]}
          />
        ),
      },
      {
        state: 'facts alone',
        content: (
          <Bill
            facts={[
              ['Hoje', 'Top Afiliado, mensal'],
              ['Depois', 'Elite Nível 2, anual'],
            ]}
          />
        ),
      },
    ],
  },
  Countdown: {
    use: 'Days, hours, minutes and seconds of a dated offer.',
    samples: [
      { state: 'all parts', content: <SampleCountdown /> },
      { state: 'minutes and seconds', content: <SampleCountdown minutesOnly /> },
      { state: 'over', content: <Countdown end={new Date(0)} /> },
    ],
  },
  InlineCountdown: {
    use: 'Inside a sentence. A screen reader hears a change once a minute.',
    samples: [{ state: 'running', content: <InlineSample /> }],
  },
  KeptCoupon: {
    use: 'The coupon that a link brought, and a way to remove it.',
    samples: [{ state: 'kept', wide: true, content: <KeptCoupon code="BF40" text={COUPON} /> }],
  },
  KeptPromotion: {
    use: 'A KeptCoupon while the kept promotion is offered.',
    samples: [
      {
        state: 'nothing kept: it shows nothing',
        wide: true,
        content: <KeptPromotion text={COUPON} />,
      },
    ],
  },
  Barcode: {
    use: 'The bar code of a boleto. Black on white in every scheme, because a scanner reads it.',
    samples: [
      {
        state: 'valid digits',
        wide: true,
        content: (
          <Barcode digits="23793381286000000000123400000000019999000019" label="Código de barras do boleto" />
        ),
      },
      { state: 'invalid digits: it shows nothing', wide: true, content: <Barcode digits="1x" label="" /> },
    ],
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
