import { type Location, useLocation } from 'react-router-dom'
import { reasonOf } from '../../api/app-error'
import { call, warmUp } from '../../api/call'
import { planName } from '../../catalog/plan-names'
import { useSelectedPlan } from '../../catalog/selected-plan'
import { type Typed, useForm } from '../../forms/use-form'
import { checkLogin, type LoginField } from '../../forms/validation'
import { paths } from '../../lib/paths'
import { useToasts } from '../../lib/toasts'
import { useIsHydrating } from '../../lib/use-is-hydrating'
import { useTypedEarly } from '../../lib/use-typed-early'
import { keepAccountPromotion } from '../../purchase/kept-code'
import { useSession } from '../../session/session'
import { loginError, login as texts } from '../../texts/login'
import { EmailField } from '../../ui/email-field'
import { Field } from '../../ui/field'
import { Form } from '../../ui/form'
import { Link } from '../../ui/link'
import { PageLoading } from '../../ui/spinner'
import { AuthPage, GoogleButton } from './auth-page'
import styles from './auth-page.module.css'
import { type Arrival, type CarriedEmail, forgetTyped, useCarriedEmail } from './carried-email'
import { afterLoginPath, usePostAuthRedirect } from './use-post-auth-redirect'

/** /login: email and password. */
export function LoginForm() {
  const { waiting, signInAndRedirect } = usePostAuthRedirect(afterLoginPath)
  const { signedIn } = useSession()
  const { show } = useToasts()
  const [email, setEmail] = useCarriedEmail()
  const carried: CarriedEmail = { email }
  const plan = useSelectedPlan()
  const { state }: Location<Partial<Arrival> | null> = useLocation()
  const isHydrating = useIsHydrating()
  const isReset = state?.isReset && !isHydrating
  const early = useTypedEarly(setEmail)

  const signIn = async (typed: Typed) => {
    const { email, password } = valuesOf(typed)
    const { user, promotion } = await call(({ auth }) =>
      auth.signIn({ email: email.trim().toLowerCase(), password }),
    )
    if (!user) throw new Error('SignIn answered without a user')
    await signedIn({ uid: user.uid, email: user.email, displayName: user.displayName })
    keepAccountPromotion(promotion)
    forgetTyped()
    show({ kind: 'success', title: texts.success, about: 'form' })
  }
  const { bound, field } = useForm<LoginField>({
    check: (typed) => checkLogin(valuesOf(typed)),
    send: (typed) => signInAndRedirect(() => signIn(typed), afterLoginPath),
    explain: (cause) => ({ text: loginError(reasonOf(cause)), field: null }),
    fallback: 'password',
  })

  if (waiting) return <PageLoading />
  return (
    <AuthPage
      title={texts.title}
      lead={isReset ? texts.afterReset : plan ? texts.plan(planName(plan.planId)) : texts.lead}
    >
      <Form {...bound} texts={texts} onFocus={warmUp}>
        <EmailField
          ref={early}
          label={texts.email}
          autoComplete="username"
          placeholder={texts.emailPlaceholder}
          defaultValue={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          {...field('email')}
        />
        <Field label={texts.password} name="password" type="password" {...field('password')} />
        <p className={styles.forgot}>
          <Link to={paths.forgotPassword} state={carried}>
            {texts.forgot}
          </Link>
        </p>
      </Form>
      <GoogleButton label={texts.google} or={texts.or} />
      <p className={styles.foot}>
        <span>{texts.noAccount}</span>{' '}
        <Link to={paths.signUp} state={carried}>
          {texts.signUp}
        </Link>
      </p>
    </AuthPage>
  )
}

function valuesOf(typed: Typed): Record<LoginField, string> {
  return { email: typed('email'), password: typed('password') }
}
