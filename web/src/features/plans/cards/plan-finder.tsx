import { useEffect, useRef, useState } from 'react'
import { cardPlanOf, fits } from '../../../catalog/catalog'
import type { DealOf } from '../../../catalog/deals'
import { classNames } from '../../../lib/class-names'
import { useSeemsSignedIn } from '../../../session/session'
import { planFinder as texts } from '../../../texts/plan-finder'
import { Button } from '../../../ui/button'
import { ChoicePill, choicePills } from '../../../ui/choice-pill'
import { type PlanActions, PlanButtons } from './plan-buttons'
import styles from './plan-finder.module.css'
import { priceNote, trialLine } from './price-note'

/**
 * 'Quantos grupos você tem em cada app?': the first plan with room for them, by the catalogue's
 * limits, with its own button.
 */
export function PlanFinder({
  dealOf,
  onFit,
  ...actions
}: PlanActions & { dealOf: DealOf; onFit: (planId: string) => void }) {
  const signedIn = useSeemsSignedIn()
  const choices = useRef<HTMLFieldSetElement>(null)
  const answer = useRef<HTMLDivElement>(null)
  const [fit, setFit] = useState<(typeof fits)[number] | null>(null)
  const choose = (at: number) => {
    const found = fits[at]
    if (!found) return
    setFit(found)
    onFit(found.id)
  }
  const answerTo = (at: number) => {
    choose(at)
    // Below the choices of a low window it would go unseen. The frame comes after React has written
    // it.
    requestAnimationFrame(() => answer.current?.scrollIntoView({ block: 'nearest' }))
  }
  // What was chosen before the page answered.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, after hydration
  useEffect(() => {
    const chosen = choices.current?.querySelector<HTMLInputElement>(':checked')
    if (chosen) choose(Number(chosen.value))
  }, [])
  const plan = cardPlanOf(fit?.id)
  const look = () => {
    const card = document.querySelector<HTMLElement>(`[aria-label="${fit?.group}"]`)
    card?.scrollIntoView()
    const place = card?.querySelector<HTMLElement>('[aria-selected=true]') ?? card?.querySelector('button')
    place?.focus({ preventScroll: true })
  }
  return (
    <div className={styles.finder}>
      <fieldset ref={choices} className={classNames(choicePills, styles.choices)}>
        <legend>{texts.question}</legend>
        {fits.map(({ upTo, id }, at) => (
          <ChoicePill name="groups" value={at} onChange={() => answerTo(at)} key={id}>
            {texts.choice(fits[at - 1]?.upTo ?? 0, upTo)}
          </ChoicePill>
        ))}
      </fieldset>
      <div ref={answer} className={styles.answer} role="status">
        {fit && plan && (
          <>
            <p>{texts.answer(fit.name, fit.upTo)}</p>
            <p className="quiet">
              {signedIn ? priceNote(plan, dealOf(plan)) : trialLine(plan, dealOf(plan))}
            </p>
            <div className={styles.actions}>
              <PlanButtons plan={plan} deal={dealOf(plan)} label={texts.choose(fit.name)} {...actions} />
              <Button variant="quiet" onClick={look}>
                {texts.look(fit.name)}
              </Button>
            </div>
          </>
        )}
      </div>
    </div>
  )
}
