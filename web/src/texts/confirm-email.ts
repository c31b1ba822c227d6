import type { Reason } from '../api/app-error'
import { tooManyAttempts } from './site'

/** /confirmar-email: opened by the mailed link, which alone confirms nothing. */
export const confirmEmail = {
  title: 'Confirmar email',
  lead: 'Falta só confirmar que este email é seu.',
  submit: 'Confirmar meu email',
  submitting: 'Confirmando...',
  account: 'Ir para Minha Conta',
  done: {
    title: 'Email confirmado',
    text: 'Avisos e recibos da sua conta chegam neste endereço.',
  },
} as const

export const confirmEmailDead = {
  missing: {
    title: 'Abra o link do email',
    lead: 'Para confirmar seu email, abra o link que enviamos. Não achou? Peça outro em Minha Conta.',
  },
  expired: {
    title: 'Este link expirou',
    lead: 'Por segurança, cada link vale por 72 horas. Peça outro em Minha Conta.',
  },
  invalid: {
    title: 'Este link não vale mais',
    lead: 'Ele já foi usado ou um mais recente tomou o lugar dele. Se o seu email ainda não estiver confirmado, peça outro em Minha Conta.',
  },
} as const

/** Why a link opens nothing. */
export type DeadEmailLink = keyof typeof confirmEmailDead

const dead: Partial<Record<Reason, DeadEmailLink>> = {
  EMAIL_CODE_EXPIRED: 'expired',
  EMAIL_CODE_INVALID: 'invalid',
  INVALID_ARGUMENT: 'invalid',
}

/** Error of a refused confirmation: a dead link, or a text. */
export function confirmEmailError(reason: Reason): { dead: DeadEmailLink } | { text: string } {
  const link = dead[reason]
  if (link) return { dead: link }
  if (reason === 'TOO_MANY_REQUESTS') return { text: tooManyAttempts }
  return { text: 'Não foi possível confirmar o email. Tente novamente.' }
}
