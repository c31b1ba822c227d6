import { type SubmitEvent, useState } from 'react'
import { reasonOf } from '../../api/app-error'
import { warmUp } from '../../api/call'
import { useBusy } from '../../forms/use-busy'
import { usePhoneInput } from '../../forms/use-phone-input'
import { useRefusal } from '../../forms/use-refusal'
import { at, checkSignUp, learnPasswordRules, passwordHint } from '../../forms/validation'
import { readSelectedPlan } from '../../lib/browser-storage'
import { paths } from '../../lib/paths'
import { type SignUpField, signUpError, signUp as texts } from '../../texts/sign-up'
import { Field } from '../../ui/field'
import { Link } from '../../ui/link'
import { PageLoading } from '../../ui/spinner'
import { AuthForm, AuthPage, GoogleButton } from './auth-page'
import styles from './auth-page.module.css'
import { type CarriedEmail, useCarriedEmail } from './carried-email'
import { EmailField } from './email-field'
import { Promises } from './promises'
import { useSignUp } from './use-sign-up'
import { signUpWay, useWayOn } from './use-way-on'

const nothing = { name: '', email: '', whatsapp: '' }
/** What was typed, for whoever reads the terms and comes back. In this tab's memory alone, without the password. */
let typed = nothing

/** /cadastro: name, email, WhatsApp, password. */
export function SignUpForm() {
  // Whoever is signed in already has nothing to create here.
  const { waiting, sending, leave } = useWayOn(() => paths.account)
  const signUp = useSignUp()
  const { form, error, accept, refuse, mend, errorAt, invalid } = useRefusal<SignUpField>()
  const phone = usePhoneInput(typed.whatsapp)
  const [password, setPassword] = useState('')
  const { busy, isBusy, setBusy } = useBusy()
  const [email, setEmail] = useCarriedEmail(typed.email)
  const carried: CarriedEmail = { email }
  const plan = readSelectedPlan()

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy()) return
    const values = { ...valuesOf(event.currentTarget), password }
    const wrong = checkSignUp(values)
    if (wrong) return refuse(wrong)
    accept()
    setBusy(true)
    sending.current = true
    try {
      await signUp(values)
      typed = nothing
      leave(signUpWay)
    } catch (cause) {
      sending.current = false
      setBusy(false)
      const { text, field } = signUpError(reasonOf(cause), learnPasswordRules(cause))
      refuse(field ? at(field, text) : { message: text, field: null, marked: [] })
    }
  }

  if (waiting) return <PageLoading />
  return (
    <AuthPage
      title={texts.title}
      lead={plan ? texts.leadWithPlan(plan.name) : texts.lead}
      aside={<Promises />}
    >
      {plan && (
        <p className={styles.choice}>
          {texts.plan} <strong>{plan.name}</strong>
        </p>
      )}
      <AuthForm
        ref={form}
        busy={busy}
        texts={texts}
        failure={error?.field === null ? error.message : null}
        onSubmit={submit}
        onInput={(event) => {
          typed = valuesOf(event.currentTarget)
          mend(event)
        }}
        onFocus={() => void warmUp()}
        note={
          <p className={styles.agree}>
            {texts.agree} <Link to={paths.terms}>{texts.terms}</Link> {texts.and}{' '}
            <Link to={paths.privacy}>{texts.privacy}</Link>.
          </p>
        }
      >
        <Field
          label={texts.name}
          name="name"
          autoComplete="name"
          maxLength={120}
          placeholder={texts.namePlaceholder}
          defaultValue={typed.name}
          error={errorAt('name')}
          aria-invalid={invalid('name')}
        />
        <EmailField
          label={texts.email}
          autoComplete="email"
          placeholder={texts.emailPlaceholder}
          defaultValue={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={errorAt('email')}
          aria-invalid={invalid('email')}
        />
        <Field
          label={texts.whatsapp}
          name="whatsapp"
          type="tel"
          inputMode="tel"
          autoComplete="tel-national"
          placeholder={texts.whatsappPlaceholder}
          hint={texts.whatsappHint}
          {...phone}
          error={errorAt('whatsapp')}
          aria-invalid={invalid('whatsapp')}
        />
        <Field
          label={texts.password}
          name="password"
          type="password"
          autoComplete="new-password"
          live
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={passwordHint(password) ?? errorAt('password')}
          aria-invalid={invalid('password')}
        />
      </AuthForm>
      <GoogleButton label={texts.google} or={texts.or} />
      <p className={styles.foot}>
        {texts.haveAccount}{' '}
        <Link to={paths.login} state={carried}>
          {texts.login}
        </Link>
      </p>
    </AuthPage>
  )
}

function valuesOf(form: HTMLFormElement): typeof nothing {
  const data = new FormData(form)
  const typedIn = (field: string) => String(data.get(field) ?? '')
  return { name: typedIn('name'), email: typedIn('email'), whatsapp: typedIn('whatsapp') }
}
