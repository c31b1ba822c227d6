import { useEffect, useState } from 'react'
import { cardGroups } from './catalog'

/** The level that a card shows, and the one that it showed before another was chosen. */
export interface ShownLevel {
  at: number
  before: number | null
}

/** The level that was last looked at in each card: it still stands when one comes back. */
const lastLevels = new Map<string, number>()

/** The level that each card shows: that of a tab, of a plan named elsewhere on the page, or at first the visitor's own. */
export function useShownLevels(own: string | null) {
  const [levels, setLevels] = useState<Readonly<Record<string, ShownLevel>>>({})
  const look = (group: string, at: number) => {
    const before = lastLevels.get(group) ?? 0
    lastLevels.set(group, at)
    setLevels((all) => ({ ...all, [group]: { at, before } }))
  }
  const show = (planId: string) => {
    const { group, level } = placeOf(planId)
    if (group !== undefined) look(group, level)
  }
  useEffect(() => {
    const { group, level } = placeOf(own)
    if (group === undefined || lastLevels.has(group)) return
    setLevels((all) => ({ ...all, [group]: { at: level, before: null } }))
  }, [own])

  const shownOf = (group: string): ShownLevel =>
    levels[group] ?? { at: lastLevels.get(group) ?? 0, before: null }
  return { shownOf, look, show }
}

function placeOf(planId: string | null): { group: string | undefined; level: number } {
  const levelIn = (plans: (typeof cardGroups)[number]['plans']) => plans.findIndex(({ id }) => id === planId)
  const found = cardGroups.find(({ plans }) => levelIn(plans) >= 0)
  return { group: found?.name, level: found ? levelIn(found.plans) : 0 }
}
