import { useEffect, useState } from 'react'
import { cardGroups } from '../../../catalog/catalog'

/** The level that a card shows, and the one that it showed before another was chosen. */
export interface ShownLevel {
  at: number
  before: number | null
}

/** The levels that were last looked at, by card. The history entry keeps them for a return. */
const lastLevels = (): Readonly<Record<string, number>> => history.state?.levels ?? {}

/**
 * The level that each card shows: that of a tab, of a plan named elsewhere on the page, or at first
 * the visitor's own.
 */
export function useShownLevels(own: string | null) {
  const [levels, setLevels] = useState<Readonly<Record<string, ShownLevel>>>({})
  const shownOf = (group: string): ShownLevel => levels[group] ?? { at: 0, before: null }
  const look = (group: string, at: number) => {
    history.replaceState({ ...history.state, levels: { ...lastLevels(), [group]: at } }, '')
    setLevels((all) => ({ ...all, [group]: { at, before: shownOf(group).at } }))
  }
  const show = (planId: string) => {
    const { group, level } = placeOf(planId)
    if (group !== undefined) look(group, level)
  }
  useEffect(() => {
    const last = Object.entries(lastLevels()).map(([group, at]) => [group, { at, before: null }])
    setLevels(Object.fromEntries(last))
  }, [])
  useEffect(() => {
    const { group, level } = placeOf(own)
    if (group === undefined || group in lastLevels()) return
    setLevels((all) => ({ ...all, [group]: { at: level, before: null } }))
  }, [own])

  return { shownOf, look, show }
}

function placeOf(planId: string | null): { group: string | undefined; level: number } {
  const levelIn = (plans: (typeof cardGroups)[number]['plans']) => plans.findIndex(({ id }) => id === planId)
  const found = cardGroups.find(({ plans }) => levelIn(plans) >= 0)
  return { group: found?.name, level: found ? levelIn(found.plans) : 0 }
}
