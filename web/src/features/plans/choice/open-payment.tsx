import { lazy, Suspense } from 'react'

const OpenPaymentNote = lazy(() => import('./open-payment-note'))

/** The open boleto or renewal of an account. Loaded lazily, because few have one. */
export function OpenPayment() {
  return (
    <Suspense>
      <OpenPaymentNote />
    </Suspense>
  )
}
