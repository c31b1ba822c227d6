/** Every reason has a text on every screen that shows reasons. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Reason } from '../api/app-error'
import { ErrorReason } from '../gen/garimpo/errors/v1/error_reason_pb'
import { deletionError, emailCorrectionError, passwordChangeError, profileError } from './account-dialogs'
import { emailCheckError, exportError, sessionEndError } from './account-settings'
import { resumeError } from './billing'
import { cancellationError, refundError } from './billing-dialogs'
import { checkout, refusalOf } from './checkout'
import { confirmEmailDead, confirmEmailError } from './confirm-email'
import { paymentAuthenticationError } from './confirm-payment'
import { loginError } from './login'
import { planChangeCancelError, planChangeError } from './plan-change'
import { deadLink, resetError } from './recovery'
import { signUpError } from './sign-up'

const isReason = (name: string): name is Reason =>
  /^[A-Z]/.test(name) && name in ErrorReason && name !== 'UNSPECIFIED'
const reasons: readonly Reason[] = [...Object.keys(ErrorReason).filter(isReason), 'OFFLINE']

/** Reasons of each rpc: those after 'Errors: …' in its comment, and those of its service. */
const reasonsByRpc = new Map<string, ReadonlySet<Reason>>()
for (const name of ['auth/v1/auth', 'users/v1/user', 'billing/v1/billing']) {
  const proto = readFileSync(new URL(`../../../proto/garimpo/${name}_service.proto`, import.meta.url), 'utf8')
  const named = (comment: string) => [...comment.matchAll(/[A-Z_]+/g)].map(([name]) => name).filter(isReason)
  let comment = ''
  let any: Reason[] = []
  for (const line of proto.split('\n')) {
    const said = /^\s*\/\/(.*)/.exec(line)?.[1]
    if (said !== undefined) {
      comment += said
      continue
    }
    const rpc = /^\s*rpc (\w+)/.exec(line)?.[1]
    if (line.startsWith('service ')) any = named(comment)
    if (rpc) reasonsByRpc.set(rpc, new Set([...any, ...named(comment.split('Errors:')[1] ?? ''), 'OFFLINE']))
    comment = ''
  }
}

/** Reasons for which "try again" is the right text. */
const TRY_AGAIN = {
  INTERNAL: 'a fault of ours',
  UNAVAILABLE: 'the same call may be made again',
  PROVIDER_UNAVAILABLE: 'the same call may be made again',
  OFFLINE: 'the same call may be made again',
  PERMISSION_DENIED: 'a screen names no account but the own one',
} as const satisfies Partial<Record<Reason, string>>

interface Screen {
  textOf: (reason: Reason) => string
  rpcs: readonly string[]
  /** Why a reason of these rpcs has the screen's general text. */
  generic?: Partial<Record<Reason, string>>
}

const ELSE = 'anything else'
const CHECKED = 'the form refuses it before the call'

const screens: Record<string, Screen> = {
  loginError: { textOf: loginError, rpcs: ['SignIn'], generic: { INVALID_ARGUMENT: CHECKED } },
  signUpError: {
    textOf: (reason) => signUpError(reason, { minimum: '8' }).text,
    rpcs: ['SignUp'],
    generic: { INVALID_ARGUMENT: CHECKED, TOO_MANY_REQUESTS: ELSE },
  },
  resetError: {
    textOf: (reason) => {
      const refusal = resetError(reason, { minimum: '8' })
      return 'dead' in refusal ? deadLink[refusal.dead].title : refusal.text
    },
    rpcs: ['CheckPasswordReset', 'ConfirmPasswordReset'],
    generic: { INVALID_ARGUMENT: CHECKED },
  },
  confirmEmailError: {
    textOf: (reason) => {
      const refusal = confirmEmailError(reason)
      return 'dead' in refusal ? confirmEmailDead[refusal.dead].title : refusal.text
    },
    rpcs: ['ConfirmEmail'],
  },
  emailCheckError: { textOf: emailCheckError, rpcs: ['RequestEmailVerification'] },
  emailCorrectionError: {
    textOf: (reason) => emailCorrectionError(reason).text,
    rpcs: ['CorrectEmail'],
    generic: { INVALID_ARGUMENT: CHECKED },
  },
  passwordChangeError: {
    textOf: (reason) => passwordChangeError(reason, { minimum: '8' }).text,
    rpcs: ['ChangePassword'],
    generic: { INVALID_ARGUMENT: CHECKED },
  },
  sessionEndError: {
    textOf: sessionEndError,
    rpcs: ['RevokeSession'],
    generic: { NOT_FOUND: 'a session that is gone counts as ended (security-card.tsx)' },
  },
  profileError: {
    textOf: (reason) => profileError(reason, { photo_url: 'malformed' }).text,
    rpcs: ['SaveUser'],
    generic: { INVALID_EMAIL: "it is the account's own, which nobody types" },
  },
  exportError: { textOf: exportError, rpcs: ['ExportMyData'] },
  deletionError: {
    textOf: (reason) => deletionError(reason).text,
    rpcs: ['DeleteMyAccount'],
    generic: { INVALID_ARGUMENT: CHECKED },
  },
  cancellationError: {
    textOf: cancellationError,
    rpcs: ['CancelSubscription'],
    generic: { INVALID_ARGUMENT: 'the words are cut to fit, and the request id is made here' },
  },
  resumeError: { textOf: resumeError, rpcs: ['ResumeSubscription'] },
  refundError: {
    textOf: refundError,
    rpcs: ['RequestRefund'],
    generic: { INVALID_ARGUMENT: 'the request id is made here' },
  },
  planChangeError: {
    textOf: (reason) => planChangeError(reason, undefined).text,
    rpcs: ['PreviewPlanChange', 'ChangePlan'],
    generic: {
      INVALID_ARGUMENT: 'the present plan is refused before the call',
      UNKNOWN_INTERVAL: 'the dialog lists those of the contract',
      PREVIEW_EXPIRED: 'another preview is asked for and shown (use-plan-change.ts)',
    },
  },
  planChangeCancelError: { textOf: planChangeCancelError, rpcs: ['CancelPlanChange'] },
  paymentAuthenticationError: {
    textOf: paymentAuthenticationError,
    rpcs: ['GetPaymentAuthentication'],
    generic: { NOT_FOUND: 'the page says that nothing waits (confirm-payment.tsx)' },
  },
  refusalOf: {
    textOf: (reason) => {
      const refusal = refusalOf(reason)
      return refusal === 'setup' ? checkout.error.setup : checkout[refusal].title
    },
    rpcs: ['CreateCheckoutSession'],
    generic: {
      INVALID_ARGUMENT: ELSE,
      UNKNOWN_PLAN: ELSE,
      PLAN_NOT_FOR_SALE: ELSE,
      UNKNOWN_INTERVAL: ELSE,
      TOO_MANY_REQUESTS: ELSE,
      UNAUTHENTICATED: ELSE,
      CHANGE_IN_PROGRESS: 'the page offers to try again, and the refund is through by then',
    },
  },
}

/** Functions that several screens share (refusals.ts). */
const SHARED_FUNCTIONS = ['accountRefusal', 'subscriptionRefusal']

test('each function that returns the text of a reason is listed here', () => {
  const functions = readdirSync(import.meta.dirname)
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .flatMap((file) => [
      ...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(
        /^export function (\w+)\(\s*reason: Reason/gm,
      ),
    ])
    .map(([, name = '']) => name)
    .filter((name) => !SHARED_FUNCTIONS.includes(name))
  expect(functions.toSorted()).toEqual(Object.keys(screens).toSorted())
})

test('the comments of the protos are read to their end', () => {
  expect(reasonsByRpc.get('ConfirmEmail')).toEqual(
    new Set([
      'TOO_MANY_REQUESTS',
      'UNAVAILABLE',
      'INTERNAL',
      'PROVIDER_UNAVAILABLE',
      'INVALID_ARGUMENT',
      'EMAIL_CODE_INVALID',
      'EMAIL_CODE_EXPIRED',
      'OFFLINE',
    ]),
  )
  // On the second line of its comment.
  expect(reasonsByRpc.get('ChangePlan')).toContain('CARD_REQUIRED')
})

describe.each(Object.entries(screens))('%s', (_, { textOf, rpcs, generic = {} }) => {
  test('each reason of the catalogue has a Portuguese text', () => {
    for (const reason of reasons) {
      const text = textOf(reason)
      expect(text, reason).toMatch(/^\p{Lu}.{10,}/u)
      expect(text, reason).not.toMatch(/\b(?:the|is|was|not|failed|error|password|again)\b/i)
      expect(text, reason).not.toMatch(/undefined|_|[A-Z]{4}/)
    }
  })

  test('each reason that its calls return has its own text, or a reason why not', () => {
    const silent = new Set<string>()
    for (const rpc of rpcs) {
      const answered = reasonsByRpc.get(rpc)
      if (!answered) throw new Error(`no rpc ${rpc}`)
      for (const reason of answered) if (textOf(reason) === textOf('INTERNAL')) silent.add(reason)
    }
    expect([...silent].filter((reason) => !(reason in TRY_AGAIN || reason in generic))).toEqual([])
    expect(Object.keys(generic).filter((reason) => !silent.has(reason))).toEqual([])
  })
})
