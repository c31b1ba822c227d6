/** Every reason of the catalogue has a text on every screen that tells one. */
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
import { loginError } from './login'
import { planChangeCancelError, planChangeError } from './plan-change'
import { deadLink, resetError } from './recovery'
import { signUpError } from './sign-up'

const isReason = (name: string): name is Reason =>
  /^[A-Z]/.test(name) && name in ErrorReason && name !== 'UNSPECIFIED'
const reasons: readonly Reason[] = [...Object.keys(ErrorReason).filter(isReason), 'OFFLINE']

/** What each rpc may answer: its own comment's 'Errors: …', and what its service says of any call. */
const answers = new Map<string, ReadonlySet<Reason>>()
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
    if (rpc) answers.set(rpc, new Set([...any, ...named(comment.split('Errors:')[1] ?? ''), 'OFFLINE']))
    comment = ''
  }
}

/** Where 'it did not work, try again' is what there is to say. */
const TRY_AGAIN = {
  INTERNAL: 'a fault of ours',
  UNAVAILABLE: 'the same call may be made again',
  PROVIDER_UNAVAILABLE: 'the same call may be made again',
  OFFLINE: 'the same call may be made again',
  PERMISSION_DENIED: 'a screen names no account but the own one',
} as const satisfies Partial<Record<Reason, string>>

interface Screen {
  says: (reason: Reason) => string
  rpcs: readonly string[]
  /** Why a reason that the rpcs answer is told by the screen's text for all else. */
  plain?: Partial<Record<Reason, string>>
}

const ELSE = 'anything else'
const CHECKED = 'the form refuses it before the call'

const screens: Record<string, Screen> = {
  loginError: { says: loginError, rpcs: ['SignIn'], plain: { INVALID_ARGUMENT: CHECKED } },
  signUpError: {
    says: (reason) => signUpError(reason, { minimum: '8' }).text,
    rpcs: ['SignUp'],
    plain: { INVALID_ARGUMENT: CHECKED, TOO_MANY_REQUESTS: ELSE },
  },
  resetError: {
    says: (reason) => {
      const refusal = resetError(reason, { minimum: '8' })
      return 'dead' in refusal ? deadLink[refusal.dead].title : refusal.text
    },
    rpcs: ['CheckPasswordReset', 'ConfirmPasswordReset'],
    plain: { INVALID_ARGUMENT: CHECKED },
  },
  confirmEmailError: {
    says: (reason) => {
      const refusal = confirmEmailError(reason)
      return 'dead' in refusal ? confirmEmailDead[refusal.dead].title : refusal.text
    },
    rpcs: ['ConfirmEmail'],
  },
  emailCheckError: { says: emailCheckError, rpcs: ['RequestEmailVerification'] },
  emailCorrectionError: {
    says: (reason) => emailCorrectionError(reason).text,
    rpcs: ['CorrectEmail'],
    plain: { INVALID_ARGUMENT: CHECKED },
  },
  passwordChangeError: {
    says: (reason) => passwordChangeError(reason, { minimum: '8' }).text,
    rpcs: ['ChangePassword'],
    plain: { INVALID_ARGUMENT: CHECKED },
  },
  sessionEndError: {
    says: sessionEndError,
    rpcs: ['RevokeSession'],
    plain: { NOT_FOUND: 'a session that is gone counts as ended (use-sessions.ts)' },
  },
  profileError: {
    says: (reason) => profileError(reason, { photo_url: 'malformed' }).text,
    rpcs: ['SaveUser'],
    plain: { INVALID_EMAIL: "it is the account's own, which nobody types" },
  },
  exportError: { says: exportError, rpcs: ['ExportMyData'] },
  deletionError: {
    says: (reason) => deletionError(reason).text,
    rpcs: ['DeleteMyAccount'],
    plain: { INVALID_ARGUMENT: CHECKED },
  },
  cancellationError: {
    says: cancellationError,
    rpcs: ['CancelSubscription'],
    plain: { INVALID_ARGUMENT: 'the words are cut to fit, and the request id is made here' },
  },
  resumeError: { says: resumeError, rpcs: ['ResumeSubscription'] },
  refundError: {
    says: refundError,
    rpcs: ['RequestRefund'],
    plain: { INVALID_ARGUMENT: 'the request id is made here' },
  },
  planChangeError: {
    says: (reason) => planChangeError(reason, undefined).text,
    rpcs: ['PreviewPlanChange', 'ChangePlan'],
    plain: {
      INVALID_ARGUMENT: 'the present plan is refused before the call',
      UNKNOWN_INTERVAL: 'the dialog lists those of the contract',
      PREVIEW_EXPIRED: 'another preview is asked for and shown (use-plan-change.ts)',
    },
  },
  planChangeCancelError: { says: planChangeCancelError, rpcs: ['CancelPlanChange'] },
  refusalOf: {
    says: (reason) => {
      const refusal = refusalOf(reason)
      return refusal === 'setup' ? checkout.error.setup : checkout[refusal].title
    },
    rpcs: ['CreateCheckoutSession'],
    plain: {
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

/** What the functions of several screens have in common (refusals.ts). */
const PARTS = ['accountRefusal', 'subscriptionRefusal']

test('cada função que dá o texto de um motivo está nesta conta', () => {
  const functions = readdirSync(import.meta.dirname)
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .flatMap((file) => [
      ...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(
        /^export function (\w+)\(\s*reason: Reason/gm,
      ),
    ])
    .map(([, name = '']) => name)
    .filter((name) => !PARTS.includes(name))
  expect(functions.toSorted()).toEqual(Object.keys(screens).toSorted())
})

test('os comentários do contrato são lidos por inteiro', () => {
  expect(answers.get('ConfirmEmail')).toEqual(
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
  expect(answers.get('ChangePlan')).toContain('CARD_REQUIRED')
})

describe.each(Object.entries(screens))('%s', (_, { says, rpcs, plain = {} }) => {
  test('diz todo motivo do catálogo em português', () => {
    for (const reason of reasons) {
      const text = says(reason)
      expect(text, reason).toMatch(/^\p{Lu}.{10,}/u)
      expect(text, reason).not.toMatch(/\b(?:the|is|was|not|failed|error|password|again)\b/i)
      expect(text, reason).not.toMatch(/undefined|_|[A-Z]{4}/)
    }
  })

  test('tem um texto próprio para o que as suas chamadas respondem, ou o porquê de não ter', () => {
    const silent = new Set<string>()
    for (const rpc of rpcs) {
      const answered = answers.get(rpc)
      if (!answered) throw new Error(`no rpc ${rpc}`)
      for (const reason of answered) if (says(reason) === says('INTERNAL')) silent.add(reason)
    }
    expect([...silent].filter((reason) => !(reason in TRY_AGAIN || reason in plain))).toEqual([])
    expect(Object.keys(plain).filter((reason) => !silent.has(reason))).toEqual([])
  })
})
