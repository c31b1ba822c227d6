import { reasonOf } from '../../api/app-error'
import { call, logFailure, warmUp } from '../../api/call'
import { attributionMessage } from '../../attribution/attribution'
import { adsAllowed, consentMessage, markConsentSent } from '../../attribution/consent'
import { track } from '../../attribution/tracking'
import { campaignCouponId, cardPlanOf } from '../../catalog/catalog'
import { readKeptPromotion, usePromoCode } from '../../catalog/kept-promotion'
import { planName } from '../../catalog/plan-names'
import { type SelectedPlan, useSelectedPlan } from '../../catalog/selected-plan'
import { phoneDigits } from '../../forms/phone-mask'
import { type Typed, useForm } from '../../forms/use-form'
import { checkSignUp, learnPasswordRules, type SignUpValues, shortestPassword } from '../../forms/validation'
import { readTab, writeTab } from '../../lib/browser-storage'
import type { Elements } from '../../lib/elements'
import { formatCentavos, storedPrice } from '../../lib/money'
import { paths } from '../../lib/paths'
import { serverNow } from '../../lib/server-clock'
import { useTypedEarly } from '../../lib/use-typed-early'
import { useFirstPayment } from '../../purchase/first-payment'
import { useSession } from '../../session/session'
import { keptCoupon } from '../../texts/kept-coupon'
import { type SignUpField, signUpError, signUp as texts } from '../../texts/sign-up'
import { ChosenPasswordField } from '../../ui/chosen-password-field'
import { EmailWithHint } from '../../ui/email-with-hint'
import { Field } from '../../ui/field'
import { Form, typedIn } from '../../ui/form'
import { KeptPromotion } from '../../ui/kept-promotion'
import { LineIcon } from '../../ui/line-icon'
import { Link } from '../../ui/link'
import { PhoneField } from '../../ui/phone-field'
import { PageLoading } from '../../ui/spinner'
import { AuthPage, GoogleButton } from './auth-page'
import styles from './auth-page.module.css'
import { type CarriedEmail, forgetTyped, useCarriedEmail, useTypedBefore } from './carried-email'
import { Challenge, useChallenge, useReloadForChallenge } from './challenge'
import { afterSignUpPath, usePostAuthRedirect } from './use-post-auth-redirect'

/** /cadastro: name, email, WhatsApp, password. */
export function SignUpForm() {
  // A signed-in visitor already has an account.
  const { waiting, signInAndRedirect } = usePostAuthRedirect(() => paths.account)
  const signUp = useSignUp()
  const challenge = useChallenge()
  const reloads = useReloadForChallenge(() => readTab('typedName') !== null)
  const [name, setName] = useTypedBefore('typedName')
  const earlyName = useTypedEarly(setName)
  const [typedWhatsapp] = useTypedBefore('typedWhatsapp')
  const [email, setEmail] = useCarriedEmail()
  const carried: CarriedEmail = { email }
  const plan = useSelectedPlan()
  const code = usePromoCode()

  const create = async (answers: Typed) => {
    await signUp(valuesOf(answers), challenge.take())
    forgetTyped()
  }
  const { bound, field } = useForm<SignUpField>({
    check: (answers) => {
      const unsolved = challenge.isUnsolved()
      return (
        checkSignUp(valuesOf(answers)) ??
        (unsolved ? { message: texts.challenge.first, field: null, marked: [] } : null)
      )
    },
    send: (answers) => signInAndRedirect(() => create(answers), afterSignUpPath),
    // The first challenge explains itself, so it has no error.
    explain: (cause) =>
      challenge.refuse(cause) ? null : signUpError(reasonOf(cause), learnPasswordRules(cause)),
  })

  if (waiting || reloads) return <PageLoading />
  return (
    <AuthPage
      title={texts.title}
      lead={plan ? texts.leadWithPlan(planName(plan.planId)) : texts.lead}
      aside={<Promises />}
    >
      {code && <KeptPromotion text={keptCoupon.signUp} />}
      {plan && <ChosenPlan plan={plan} code={code} />}
      <Form
        {...bound}
        texts={texts}
        onInput={(event) => {
          // The terms are another document. The password is left out, so that storage never has it.
          const { name, whatsapp } = valuesOf(typedIn(event.currentTarget))
          writeTab('typedName', name)
          writeTab('typedWhatsapp', whatsapp)
          bound.onInput(event)
        }}
        onFocus={warmUp}
        note={
          <p className={styles.agree}>
            <span>{texts.agree}</span> <Link to={paths.terms}>{texts.terms}</Link> <span>{texts.and}</span>{' '}
            <Link to={paths.privacy}>{texts.privacy}</Link>
            <span>.</span>
          </p>
        }
      >
        <Field
          ref={earlyName}
          label={texts.name}
          name="name"
          autoComplete="name"
          maxLength={120}
          placeholder={texts.namePlaceholder}
          defaultValue={name}
          {...field('name')}
        />
        <EmailWithHint
          label={texts.email}
          autoComplete="email"
          placeholder={texts.emailPlaceholder}
          value={email}
          onType={setEmail}
          {...field('email')}
          error={withLogin(field('email').error, carried)}
        />
        <PhoneField
          label={texts.whatsapp}
          placeholder={texts.whatsappPlaceholder}
          hint={texts.whatsappHint}
          defaultValue={typedWhatsapp}
          {...field('whatsapp')}
        />
        <ChosenPasswordField
          label={texts.password}
          hint={texts.passwordHint(shortestPassword())}
          {...field('password')}
        />
        {challenge.asked && (
          <Challenge
            asked={challenge.asked}
            onResponse={(response) => challenge.respond(response, bound.ref)}
          />
        )}
      </Form>
      <GoogleButton label={texts.google} or={texts.or} />
      <p className={styles.foot}>
        <span>{texts.haveAccount}</span>{' '}
        <Link to={paths.login} state={carried}>
          {texts.login}
        </Link>
      </p>
    </AuthPage>
  )
}

/**
 * In an error that says to log in, these words lead to the form for it and take the email along.
 */
function withLogin(error: string | null, carried: CarriedEmail): string | Elements {
  const [before, after] = error?.split(texts.loginInError) ?? []
  if (after === undefined) return error
  return (
    <>
      <span>{before}</span>
      <Link to={paths.login} state={carried}>
        {texts.loginInError}
      </Link>
      <span>{after}</span>
    </>
  )
}

function valuesOf(typed: Typed): SignUpValues {
  return {
    name: typed('name'),
    email: typed('email'),
    whatsapp: typed('whatsapp'),
    password: typed('password'),
  }
}

/** What a new account leads to, beside the sign-up form. */
function Promises() {
  const { title, items } = texts.promises
  return (
    <>
      <h2 className="title-sm">{title}</h2>
      <ul className={styles.promises}>
        {items.map((item) => (
          <li key={item.title}>
            <LineIcon width="28" viewBox="0 0 28 28" strokeWidth="2.4" d="m8.500 14.500 3.800 3.800 7.200-8">
              <circle cx="14" cy="14" r="13" fill="currentColor" stroke="none" opacity=".14" />
            </LineIcon>
            <b>{item.title}</b>
            <p className="quiet">{item.text}</p>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Over the sign-up form: the chosen plan. Only the visitor's coupon changes its stored price. */
function ChosenPlan({ plan, code }: { plan: SelectedPlan; code: string | null }) {
  if (code === null && (plan.couponId === null || plan.couponId === campaignCouponId))
    return <PlanLine plan={plan} />
  return <PricedPlan plan={plan} />
}

/**
 * At the price of its checkout, because a coupon may have come, gone or changed since the choice.
 */
function PricedPlan({ plan }: { plan: SelectedPlan }) {
  const payment = useFirstPayment(plan)
  const now = payment && { price: storedPrice(payment.centavos), couponId: payment.couponId }
  return <PlanLine plan={{ ...plan, ...now }} />
}

/** The plan, its price, and the later one if the first month costs less. */
function PlanLine({ plan: { planId, price, period, couponId } }: { plan: SelectedPlan }) {
  const isReduced = couponId !== null
  const month = isReduced && period === '/mês' ? cardPlanOf(planId)?.monthlyCentavos : undefined
  const reduced = period === '/mês' ? texts.firstMonth : texts.firstPeriod
  const later = couponId === campaignCouponId ? texts.laterInCampaign : texts.later
  return (
    <p className={styles.choice}>
      <span>{texts.plan}</span>
      <strong>{` ${planName(planId)}`}</strong>
      <span>{` ${texts.price(price, isReduced ? reduced : period)}`}</span>
      {month !== undefined && <small className={styles.later}>{` ${later(formatCentavos(month))}`}</small>}
    </p>
  )
}

/**
 * Steps 1 to 6 of the sign-up flow. SignUp makes account, record, name and session in one;
 * what follows it is only logged when it fails, and nobody waits for it.
 */
function useSignUp(): (values: SignUpValues, challengeResponse: string) => Promise<void> {
  const { signedIn } = useSession()
  return async (values, challengeResponse) => {
    const phone = phoneDigits(values.whatsapp)
    const displayName = values.name.trim().replace(/\s+/g, ' ')
    const consent = consentMessage()
    const { user } = await call(({ auth }) =>
      auth.signUp({
        email: values.email.trim().toLowerCase(),
        password: values.password,
        displayName,
        phoneNumber: phone,
        consent,
        attribution: attributionMessage(adsAllowed()),
        promoCode: readKeptPromotion().code ?? '',
        challengeResponse,
      }),
    )
    if (!user) throw new Error('SignUp answered without a user')
    await signedIn(
      { uid: user.uid, email: user.email, displayName: user.displayName },
      { phone: phone || null, registeredAt: serverNow() },
    )
    markConsentSent(user.uid, consent)
    void saveUser(user, phone)
    void track({ name: 'cadastro', key: user.uid })
  }
}

async function saveUser(user: { uid: string; email: string; displayName: string }, phone: string) {
  const [firstName = '', ...rest] = user.displayName.split(' ')
  await call(({ users }) =>
    users.saveUser({
      uid: user.uid,
      email: user.email,
      displayName: user.displayName,
      emailVerified: false,
      phoneNumber: phone || undefined,
      firstName,
      lastName: rest.join(' ') || undefined,
    }),
  ).catch(logFailure('saving the user record failed'))
}
