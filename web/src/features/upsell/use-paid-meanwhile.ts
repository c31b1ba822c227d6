import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { checkoutQuery } from '../../api/checkout'
import { read } from '../../lib/browser-storage'
import { outcomeOf, resultAddress, sessionIdOf } from '../../lib/checkout-outcome'
import { paths } from '../../lib/paths'
import { useUid } from '../../session/session'

/**
 * Asks once, when the page opens, whether a checkout of before has been paid, and goes to its
 * confirmation.
 */
export function usePaidMeanwhile(): void {
  const navigate = useNavigate()
  const isSignedIn = useUid() !== null
  // Read once: the key is written again by what is bought here.
  const [sessionId] = useState(() => sessionIdOf(read('checkoutClientSecret')))
  const { data } = useQuery(checkoutQuery(isSignedIn ? sessionId : null))
  useEffect(() => {
    if (data && outcomeOf(data) === 'paid')
      navigate(resultAddress(paths.paymentSuccess, sessionId), { replace: true })
  }, [data, sessionId, navigate])
}
