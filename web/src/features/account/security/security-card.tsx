import { useQuery } from '@connectrpc/connect-query'
import { useMutation } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { reasonOf } from '../../../api/app-error'
import { call } from '../../../api/call'
import { useForm } from '../../../forms/use-form'
import { checkNewPassword, learnPasswordRules, missingFields } from '../../../forms/validation'
import { AuthService, type Session } from '../../../gen/garimpo/auth/v1/auth_service_pb'
import { classNames } from '../../../lib/class-names'
import { formatMoment, toDate } from '../../../lib/dates'
import { paths } from '../../../lib/paths'
import { useToasts } from '../../../lib/toasts'
import { useUid } from '../../../session/session'
import { type PasswordField, passwordChangeError, passwordForm } from '../../../texts/account-dialogs'
import { sessionEndError, security as texts } from '../../../texts/account-settings'
import { login } from '../../../texts/login'
import { Button } from '../../../ui/button'
import { NewPasswordFields } from '../../../ui/chosen-password-field'
import { Field } from '../../../ui/field'
import { Spinner } from '../../../ui/spinner'
import accountStyles from '../account.module.css'
import { type DialogProps, FormDialog, ReadFailed } from '../dialogs/form-dialog'
import { Fold } from '../fold'
import styles from '../settings.module.css'
import { useLogout } from './use-logout'

/** The sessions of the account, their end, and the password. */
export function SecurityCard() {
  const { sessions, isFailed, ending, end, load } = useSessions()
  const [changing, setChanging] = useState(false)
  const { leaving, logout } = useLogout(paths.login, 'everywhere')
  const hint = useId()
  const list = useRef<HTMLUListElement>(null)
  // Its button is gone: the list it stood in takes the focus.
  const endOne = (id: string) => end(id, { onSuccess: () => list.current?.focus() })
  return (
    <Fold label={texts.title}>
      <h3>{texts.sessions}</h3>
      {!sessions && !isFailed && (
        <p className={styles.wait} role="status">
          <Spinner size="sm" />
          <span>{texts.loading}</span>
        </p>
      )}
      {isFailed && <ReadFailed texts={texts} onRetry={() => void load()} />}
      {sessions && (
        <ul ref={list} tabIndex={-1} aria-label={texts.sessions}>
          {sessions.map((session) => (
            <Device
              key={session.id}
              session={session}
              ending={ending === session.id}
              disabled={ending !== null || leaving}
              onEnd={() => endOne(session.id)}
            />
          ))}
        </ul>
      )}
      {sessions && sessions.length < 2 && <p className="quiet">{texts.alone}</p>}
      <div className={accountStyles.deeds}>
        <Button variant="secondary" size="sm" onClick={() => setChanging(true)}>
          {texts.changePassword}
        </Button>
        <Button
          variant="quiet"
          size="sm"
          className={accountStyles.minor}
          busy={leaving}
          aria-describedby={hint}
          onClick={logout}
        >
          {leaving ? texts.endingAll : texts.endAll}
        </Button>
      </div>
      <p id={hint} className="quiet">
        {texts.endAllHint}
      </p>
      {changing && <PasswordDialog onClose={() => setChanging(false)} onChanged={() => void load()} />}
    </Fold>
  )
}

function Device({
  session,
  ending,
  disabled,
  onEnd,
}: {
  session: Session
  ending: boolean
  disabled: boolean
  onEnd: () => void
}) {
  const device = session.device || texts.unknownDevice
  const seen = toDate(session.lastSeenAt)
  const since = toDate(session.createdAt)
  return (
    <li className={styles.session}>
      <div>
        <p className={styles.device}>
          <span>{device}</span>
          {session.current && (
            <span className={classNames(accountStyles.badge, styles.here)}>{texts.here}</span>
          )}
        </p>
        <p className="quiet">
          {session.current || !seen
            ? since && texts.since(formatMoment(since))
            : texts.seen(formatMoment(seen))}
        </p>
      </div>
      {!session.current && (
        <Button
          size="sm"
          variant="secondary"
          busy={ending}
          disabled={disabled}
          aria-label={texts.endOf(device)}
          onClick={onEnd}
        >
          {ending ? texts.ending : texts.end}
        </Button>
      )}
    </li>
  )
}

/** The server's maximum of one page. */
const MAX_SESSIONS = 100

/** Where the account is signed in. `ending` is the session that is being ended. */
function useSessions() {
  const { show } = useToasts()
  const uid = useUid()
  const {
    data,
    isError,
    isFetching,
    refetch: load,
  } = useQuery(AuthService.method.listSessions, { pageSize: MAX_SESSIONS }, { enabled: uid !== null })

  const {
    isPending,
    variables,
    mutate: end,
  } = useMutation({
    mutationFn: (id: string) => call(({ auth }) => auth.revokeSession({ id })).catch(unlessEnded),
    onSuccess: () => {
      show({ kind: 'success', title: texts.ended, about: 'session' })
      return load()
    },
    onError: (cause) => show({ kind: 'error', title: sessionEndError(reasonOf(cause)), about: 'session' }),
  })

  const sessions = isError ? undefined : data?.sessions
  const ending = isPending ? variables : null
  return { sessions, isFailed: isError && !isFetching, ending, end, load }
}

/** A session that has ended already needs no end. */
function unlessEnded(cause: unknown): void {
  if (reasonOf(cause) !== 'NOT_FOUND') throw cause
}

/** The password of now, and another one typed twice; the other devices leave. */
function PasswordDialog({ onClose, onChanged }: DialogProps & { onChanged: () => void }) {
  const { show } = useToasts()
  const { bound, field } = useForm<PasswordField>({
    check: (typed) => {
      const wrong = checkNewPassword({ password: typed('password'), repeated: typed('repeated') })
      if (typed('current') !== '') return wrong
      const others = wrong?.kind === 'required' ? wrong.marked : []
      return missingFields<PasswordField>(['current', ...others], login.missing)
    },
    send: async (typed) => {
      const passwords = { currentPassword: typed('current'), newPassword: typed('password') }
      await call(({ auth }) => auth.changePassword(passwords))
      show({ kind: 'success', title: passwordForm.changed, description: passwordForm.changedText })
      onClose()
      onChanged()
    },
    explain: (cause) => passwordChangeError(reasonOf(cause), learnPasswordRules(cause)),
  })

  return (
    <FormDialog texts={passwordForm} {...bound} onClose={onClose}>
      <p className="quiet">{passwordForm.lead}</p>
      <Field label={passwordForm.current} name="current" type="password" {...field('current')} />
      <NewPasswordFields
        texts={{ password: passwordForm.next, repeated: passwordForm.repeated }}
        field={field}
      />
    </FormDialog>
  )
}
