import { type SubmitEvent, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call, warmUp } from '../../api/call'
import { useBusy } from '../../forms/use-busy'
import { useRefusal } from '../../forms/use-refusal'
import { paths } from '../../lib/paths'
import {
  confirmEmailDead,
  confirmEmailError,
  type DeadEmailLink,
  confirmEmail as texts,
} from '../../texts/confirm-email'
import { ButtonLink } from '../../ui/button'
import { Result, ResultActions } from '../../ui/result'
import { AuthForm, AuthPage } from './auth-page'
import { forgetLinkedCode, useLinkedCode } from './use-linked-code'

type Outcome = 'asking' | 'done' | DeadEmailLink

/** /confirmar-email: a button confirms, since mail scanners open links. No session is needed. */
export function ConfirmEmail() {
  const code = useLinkedCode('emailCode')
  const [outcome, setOutcome] = useState<Outcome>(code ? 'asking' : 'missing')
  if (outcome === 'asking' && code) return <Ask code={code} onOutcome={setOutcome} />
  const { title, text, mark } = wordsOf(outcome)
  return (
    <Result mark={mark} title={title} text={text}>
      <ResultActions>
        <ButtonLink to={paths.account}>{texts.account}</ButtonLink>
      </ResultActions>
    </Result>
  )
}

function wordsOf(outcome: Outcome) {
  if (outcome === 'done') return { ...texts.done, mark: 'nugget' as const }
  const { title, lead } = confirmEmailDead[outcome === 'asking' ? 'missing' : outcome]
  return { title, text: lead, mark: 'sieve' as const }
}

function Ask({ code, onOutcome }: { code: string; onOutcome: (outcome: Outcome) => void }) {
  const { error, refuse, accept } = useRefusal<never>()
  const { busy, isBusy, setBusy } = useBusy()

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy()) return
    accept()
    setBusy(true)
    try {
      await call(({ auth }) => auth.confirmEmail({ code }))
    } catch (cause) {
      setBusy(false)
      const refusal = confirmEmailError(reasonOf(cause))
      if ('text' in refusal) return refuse({ message: refusal.text, field: null, marked: [] })
      forgetLinkedCode('emailCode')
      return onOutcome(refusal.dead)
    }
    forgetLinkedCode('emailCode')
    onOutcome('done')
  }

  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <AuthForm
        busy={busy}
        texts={texts}
        failure={error?.message ?? null}
        onSubmit={submit}
        onFocus={() => void warmUp()}
      />
    </AuthPage>
  )
}
