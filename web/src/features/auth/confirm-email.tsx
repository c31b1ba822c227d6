import { useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { call, warmUp } from '../../api/call'
import { useForm } from '../../forms/use-form'
import { writeTab } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import {
  confirmEmailDead,
  confirmEmailError,
  type DeadEmailLink,
  confirmEmail as texts,
} from '../../texts/confirm-email'
import { ButtonLink } from '../../ui/button'
import { Form } from '../../ui/form'
import { Result, ResultActions } from '../../ui/result'
import { AuthPage } from './auth-page'
import { useLinkedCode } from './use-linked-code'

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
  const end = (outcome: Outcome) => {
    writeTab('emailCode', null)
    onOutcome(outcome)
  }
  const { bound } = useForm<never>({
    send: async () => {
      await call(({ auth }) => auth.confirmEmail({ code }))
      end('done')
    },
    explain: (cause) => {
      const refusal = confirmEmailError(reasonOf(cause))
      if ('text' in refusal) return { text: refusal.text, field: null }
      end(refusal.dead)
      return null
    },
  })

  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <Form {...bound} texts={texts} onFocus={warmUp} />
    </AuthPage>
  )
}
