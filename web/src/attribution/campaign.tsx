import { createContext, useContext, useEffect, useState } from 'react'
import type { Campaign } from '../catalog/catalog'
import { loadConfig } from '../lib/config'
import type { Elements } from '../lib/elements'

const Context = createContext<Campaign | null>(null)

/**
 * `built` is the state that the page was prerendered with; without one the settings are asked when
 * needed.
 */
export function CampaignProvider({ built, children }: { built: Campaign | null; children: Elements }) {
  return <Context value={built}>{children}</Context>
}

/** The campaign's state, null while it is not known yet. */
export function useCampaign(): Campaign | null {
  const built = useContext(Context)
  const [asked, setAsked] = useState<Campaign | null>(null)
  useEffect(() => {
    if (built) return
    loadConfig().then(
      ({ blackNovember }) => setAsked(blackNovember ? 'black-november' : 'none'),
      // Ordinary prices are always true; the server decides what is charged.
      () => setAsked('none'),
    )
  }, [built])
  return built ?? asked
}
