import { useEffect, useId, useRef, useState } from 'react'
import { intervalOf, intervals } from '../../../catalog/intervals'
import type { Plan } from '../../../gen/garimpo/billing/v1/billing_service_pb'
import { classNames } from '../../../lib/class-names'
import { formatCentavos } from '../../../lib/money'
import { planChange as texts } from '../../../texts/plan-change'
import { Form } from '../../../ui/form'
import account from '../account.module.css'
import styles from './plan-change.module.css'
import { type Differences, differencesOf, neighboursOf, plansForSale } from './plan-differences'
import type { PlanChoice } from './use-plan-change'
import { planAndPeriod } from './use-plan-change'

const NONE: Differences = { gains: [], losses: [] }

/** Every plan for sale with what it adds, and the period. `present` is the paid plan. */
export function PlanChoiceForm({
  plans,
  present,
  choice,
  busy,
  failure,
  onChoose,
  onSubmit,
  onBack,
}: {
  plans: readonly Plan[]
  present: PlanChoice
  choice: PlanChoice
  busy: boolean
  failure: string | null
  onChoose: (choice: PlanChoice) => void
  onSubmit: () => void
  onBack: () => void
}) {
  const form = useRef<HTMLFormElement>(null)
  // The fields stay enabled during the call, because a disabled one loses the focus.
  const choose = (next: PlanChoice) => busy || onChoose(next)
  // The list replaced the focused element.
  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>('input:checked')?.focus({ preventScroll: true })
  }, [])
  // On a phone the own plan, its neighbours and one that was chosen before; elsewhere all of them.
  const [unfolded] = useState(() =>
    matchMedia('(min-width: 768px)').matches ? null : [choice.planId, ...neighboursOf(plans, present.planId)],
  )
  const today = plans.find(({ id }) => id === present.planId)
  const period = intervalOf(present.interval)
  const badge = period && choice.interval !== period.id ? texts.presentIn(period.name) : texts.present
  const option = (plan: Plan) => (
    <PlanOption
      key={plan.id}
      plan={plan}
      choice={choice}
      badge={plan.id === present.planId ? badge : null}
      differences={today ? differencesOf(today, plan) : NONE}
      onChoose={() => choose({ ...choice, planId: plan.id })}
    />
  )
  return (
    <Form
      ref={form}
      texts={{ back: texts.back, submit: texts.next, submitting: texts.previewing }}
      busy={busy}
      failure={failure}
      footer={styles.footer}
      onClose={onBack}
      onSubmit={onSubmit}
    >
      <p className="quiet">{texts.lead(planAndPeriod(present))}</p>
      <fieldset className={classNames(styles.choices, styles.periods)} aria-disabled={busy}>
        <legend>{texts.period}</legend>
        {intervals.map(({ id, name }) => (
          <label key={id}>
            <input
              type="radio"
              name="interval"
              checked={choice.interval === id}
              onChange={() => choose({ ...choice, interval: id })}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <fieldset className={styles.choices} aria-disabled={busy}>
        <legend>{texts.plan}</legend>
        {plansForSale(plans, present.planId).map(({ name, plans: levels }) => {
          const shown = levels.filter(({ id }) => !unfolded || unfolded.includes(id))
          const folded = levels.filter((plan) => !shown.includes(plan))
          return (
            // biome-ignore lint/a11y/useSemanticElements: within the fieldset of all plans
            <div key={name} className={styles.group} role="group" aria-label={name}>
              {levels.length > 1 && shown.length > 0 && <p aria-hidden="true">{name}</p>}
              {shown.map(option)}
              {folded.length > 0 && (
                <details className={styles.folded}>
                  <summary>{texts.folded(name, folded.length, shown.length === 0)}</summary>
                  <div className={styles.group}>{folded.map(option)}</div>
                </details>
              )}
            </div>
          )
        })}
      </fieldset>
    </Form>
  )
}

function PlanOption({
  plan,
  choice,
  badge,
  differences,
  onChoose,
}: {
  plan: Plan
  choice: PlanChoice
  /** Marks the plan that is paid for now. */
  badge: string | null
  differences: Differences
  onChoose: () => void
}) {
  const id = useId()
  const price = plan.prices.find(({ interval }) => interval === choice.interval)
  const chosen = plan.id === choice.planId
  const option = useRef<HTMLDivElement>(null)
  // A plan that was chosen elsewhere may be below the dialog's edge. The present one is not
  // scrolled to, because the dialog opens at its title.
  useEffect(() => {
    if (chosen && !badge) option.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen, badge])
  return (
    <div ref={option} className={classNames(styles.option, chosen && styles.chosen)}>
      <input
        id={id}
        type="radio"
        name="plan"
        checked={chosen}
        aria-describedby={`${id}-more`}
        onChange={onChoose}
      />
      <label htmlFor={id}>
        <span>
          <span>{plan.name}</span>
          {badge && (
            <span>
              {' '}
              <span className={classNames(account.badge, styles.present)}>{badge}</span>
            </span>
          )}
        </span>{' '}
        <span className={styles.price}>
          {price && <span>{formatCentavos(price.priceCentavos)}</span>}
          {price && <small>{intervalOf(choice.interval)?.period}</small>}
        </span>
      </label>
      <div id={`${id}-more`} className={styles.more}>
        {chosen ? (
          <>
            <Lines title={texts.gains} lines={differences.gains} tone="gain" />
            <Lines title={texts.losses} lines={differences.losses} tone="loss" />
          </>
        ) : (
          <>
            <FirstLine lines={differences.gains} tone="gain" />
            <FirstLine lines={differences.losses} tone="loss" />
          </>
        )}
      </div>
    </div>
  )
}

function Lines({ title, lines, tone }: { title: string; lines: readonly string[]; tone: 'gain' | 'loss' }) {
  if (lines.length === 0) return null
  return (
    <>
      <p>{title}</p>
      <ul className={styles[tone]}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  )
}

/** The first line, with the number of the others. */
function FirstLine({ lines: [first, ...others], tone }: { lines: readonly string[]; tone: 'gain' | 'loss' }) {
  return first && <p className={styles[tone]}>{texts.more(first, others.length)}</p>
}
