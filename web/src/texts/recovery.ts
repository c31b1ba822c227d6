import type { Metadata, Reason } from '../api/app-error'
import { login } from './login'
import { weakPassword } from './sign-up'
import { tooManyAttempts } from './site'

/** /esqueci-senha. */
export const forgot = {
  title: 'Recuperação de Senha',
  lead: 'Digite o email da sua conta e enviamos um link para você escolher uma nova senha.',
  email: 'Email',
  emailPlaceholder: 'voce@exemplo.com',
  submit: 'Enviar Email de Recuperação',
  submitting: 'Enviando...',
  back: 'Voltar para login',
  invalid: 'Email inválido',
  sent: {
    toast: 'Email de recuperação enviado',
    toastText: 'Verifique sua caixa de entrada',
    before: 'Enviamos para ',
    after: ' um email com as instruções para redefinir a senha.',
    note: 'Ele chega em alguns minutos se houver uma conta com esse endereço. Confira também o spam. O link vale por 60 minutos.',
    again: 'Tentar novamente',
  },
  failed: {
    toast: 'Erro ao enviar email',
    text: 'Ocorreu um erro ao processar sua solicitação',
  },
} as const

/** /redefinir-senha. */
export const reset = {
  title: 'Redefinir senha',
  lead: 'Escolha uma nova senha. Você sai da conta em todos os aparelhos e entra de novo com ela.',
  password: 'Nova senha',
  repeated: 'Confirmar nova senha',
  submit: 'Redefinir senha',
  submitting: 'Redefinindo...',
  back: forgot.back,
  askAgain: 'Pedir um novo link',
  errors: {
    missing: login.missing,
    different: 'As senhas não são iguais.',
    failed: 'Não foi possível redefinir a senha. Tente novamente.',
  },
} as const

/** Why a link opens nothing. */
export type DeadLink = 'missing' | 'expired' | 'invalid'

export const deadLink: Record<DeadLink, { title: string; lead: string }> = {
  missing: {
    title: 'Abra o link do email',
    lead: 'Para redefinir a senha, abra o link que enviamos por email ou peça um novo.',
  },
  expired: {
    title: 'Este link expirou',
    lead: 'Por segurança, cada link vale por 60 minutos. Peça um novo: ele chega em alguns minutos.',
  },
  invalid: {
    title: 'Este link não vale mais',
    lead: 'Ele já foi usado ou um mais recente tomou o lugar dele. Use o último email que enviamos ou peça um novo link.',
  },
}

const dead: Partial<Record<Reason, DeadLink>> = {
  RESET_CODE_EXPIRED: 'expired',
  RESET_CODE_INVALID: 'invalid',
}

/** Error of a refused reset: a dead link, or a text. */
export function resetError(
  reason: Reason,
  metadata: Metadata,
): { dead: DeadLink } | { text: string; weak: boolean } {
  const link = dead[reason]
  if (link) return { dead: link }
  if (reason === 'WEAK_PASSWORD') return { text: weakPassword(metadata), weak: true }
  return { text: reason === 'TOO_MANY_REQUESTS' ? tooManyAttempts : reset.errors.failed, weak: false }
}
