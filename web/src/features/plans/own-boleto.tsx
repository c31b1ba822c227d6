import { lazy, Suspense } from 'react'

const BoletoNote = lazy(() => import('./boleto-note'))

/** The open boleto of an account that awaits a payment. Loaded lazily, because few have one. */
export function OwnBoleto() {
  return (
    <Suspense>
      <BoletoNote />
    </Suspense>
  )
}
