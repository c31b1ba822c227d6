import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import Consent from '../features/consent/consent'
import { countPage } from '../lib/steps'
import { clicksOf, noteArrival, type Touch, touchOf } from '../lib/touches'
import { routeOf } from './routes'

let arrived: Touch | null | undefined

/** Where the visitor came from, noted once; the router may have left the address of the arrival since. */
function arrival(): Touch | null {
  if (arrived === undefined) {
    arrived = touchOf(landingAddress(), document.referrer)
    noteArrival(arrived, clicksOf(landingAddress()))
  }
  return arrived
}

/** What goes along with every page and is loaded once it answers: where the visit came from, its steps, the question about advertising. */
export default function Visit() {
  const { pathname, search } = useLocation()
  const route = routeOf(pathname)
  useEffect(() => countPage(route?.path, arrival()), [route])
  useEffect(() => {
    // A link of ours may name a campaign too, as those of /bio do.
    const here = location.href
    if (search && here !== landingAddress()) noteArrival(touchOf(here, ''), clicksOf(here))
  }, [search])
  return <Consent quiet={route?.csp === 'checkout'} />
}

function landingAddress(): string {
  return performance.getEntriesByType('navigation')[0]?.name ?? location.href
}
