import type { Metadata, Reason } from '../api/app-error'
import { editProfile, emailCheck, security } from './account-settings'
import { login } from './login'
import { reset } from './recovery'
import { accountRefusal } from './refusals'
import { signUp, weakPassword } from './sign-up'

const WRONG_PASSWORD = 'Senha incorreta'

/** The editing of the profile in /area-usuario. */
export const profileForm = {
  title: editProfile,
  name: signUp.name,
  whatsapp: signUp.whatsapp,
  whatsappPlaceholder: signUp.whatsappPlaceholder,
  photo: 'Endereço da foto (opcional)',
  photoPlaceholder: 'https://',
  photoHint:
    'Um endereço que começa com https:// e termina em uma imagem. Sem foto, mostramos suas iniciais.',
  preview: 'Prévia',
  photoBroken: 'Não conseguimos abrir essa imagem. Confira o endereço: sem ela, aparecem suas iniciais.',
  back: 'Voltar',
  submit: 'Salvar',
  submitting: 'Salvando...',
  saved: 'Perfil atualizado',
  errors: {
    missing: signUp.errors.missing,
    whatsapp: signUp.errors.whatsapp,
    photo: 'Use um endereço que comece com https://.',
    failed: 'Não foi possível salvar o perfil. Tente novamente.',
  },
} as const

export type ProfileField = 'name' | 'whatsapp' | 'photo'

/** Error of a refused profile; `fields` are the request's names of the refused fields. */
export function profileError(
  reason: Reason,
  fields: Readonly<Record<string, string>>,
): { text: string; field: ProfileField | null } {
  const { errors } = profileForm
  if (reason === 'INVALID_PHONE') return { text: errors.whatsapp, field: 'whatsapp' }
  if (reason === 'INVALID_ARGUMENT' && 'photo_url' in fields) return { text: errors.photo, field: 'photo' }
  if (reason === 'INVALID_ARGUMENT' && 'display_name' in fields)
    return { text: errors.missing, field: 'name' }
  return { text: accountRefusal(reason, errors.failed), field: null }
}

/** Another email for an account that has not confirmed its own. */
export const emailForm = {
  title: emailCheck.correct,
  lead: 'O link de confirmação vai para o novo endereço, e o anterior deixa de valer.',
  email: 'Email certo',
  password: 'Sua senha',
  back: 'Voltar',
  submit: 'Corrigir',
  submitting: 'Corrigindo...',
  saved: 'Email corrigido',
  savedText: (email: string) => `Enviamos o link de confirmação para ${email}.`,
  confirmed: 'Este email já foi confirmado e não pode mais ser trocado.',
  failed: 'Não foi possível corrigir o email. Tente novamente.',
} as const

export type EmailFormField = 'email' | 'password'

const wrongEmails: Partial<Record<Reason, { text: string; field: EmailFormField | null }>> = {
  INVALID_CREDENTIAL: { text: WRONG_PASSWORD, field: 'password' },
  WRONG_PASSWORD: { text: WRONG_PASSWORD, field: 'password' },
  EMAIL_IN_USE: { text: 'Este email já está em uso em outra conta.', field: 'email' },
  INVALID_EMAIL: { text: signUp.errors.email, field: 'email' },
  EMAIL_CONFIRMED: { text: emailForm.confirmed, field: null },
}

export function emailCorrectionError(reason: Reason): { text: string; field: EmailFormField | null } {
  return wrongEmails[reason] ?? { text: accountRefusal(reason, emailForm.failed), field: null }
}

/** A new password. */
export const passwordForm = {
  title: security.changePassword,
  lead: 'Os outros aparelhos saem da conta e entram de novo com a nova senha.',
  current: 'Senha atual',
  next: reset.password,
  repeated: reset.repeated,
  back: 'Voltar',
  submit: 'Trocar senha',
  submitting: 'Trocando...',
  changed: 'Senha trocada',
  changedText: 'Se havia outros aparelhos na conta, eles saíram.',
  failed: 'Não foi possível trocar a senha. Tente novamente.',
} as const

export type PasswordField = 'current' | 'password' | 'repeated'

export function passwordChangeError(
  reason: Reason,
  metadata: Metadata,
): { text: string; field: PasswordField | null } {
  switch (reason) {
    case 'INVALID_CREDENTIAL':
    case 'WRONG_PASSWORD':
      return { text: WRONG_PASSWORD, field: 'current' }
    case 'WEAK_PASSWORD':
      return { text: weakPassword(metadata), field: 'password' }
    default:
      return { text: accountRefusal(reason, passwordForm.failed), field: null }
  }
}

/** The deletion of the account. */
export const deletion = {
  title: 'Excluir minha conta',
  loading: 'Conferindo o que você perderia...',
  failed: 'Não conseguimos conferir o que você perderia. Nada foi excluído.',
  retry: 'Tentar novamente',
  lead: 'A exclusão é imediata e definitiva:',
  always: 'Seu perfil, seus aparelhos e seus dados pessoais são apagados.',
  plan: (plan: string) => `Sua assinatura do ${plan} termina.`,
  paidUntil: (date: string) => `O acesso que você já pagou, até ${date}, acaba junto.`,
  refundCard: (amount: string) =>
    `Devolvemos ${amount} no seu cartão. Costuma aparecer em 5 a 10 dias úteis.`,
  refundPix: (amount: string, email: string) =>
    `Devolvemos ${amount} por Pix em até 30 dias. A chave precisa ser ${email}.`,
  noRefund: 'Não há valor a devolver.',
  boleto: 'O boleto em aberto é cancelado: não pague.',
  kept: 'Guardamos as faturas sem o seu nome, como a lei pede. O recibo no provedor de pagamento continua com ele.',
  trial:
    'Uma nova conta com este email não tem outro teste grátis, nem cupom de primeira assinatura, nem a garantia.',
  password: 'Sua senha',
  back: 'Voltar',
  submit: 'Excluir minha conta',
  submitting: 'Excluindo...',
  errors: {
    missing: login.missing,
    wrong: WRONG_PASSWORD,
    failed: 'Não foi possível confirmar a exclusão. Tente novamente.',
  },
} as const

export function deletionError(reason: Reason): { text: string; field: 'password' | null } {
  const { errors } = deletion
  if (reason === 'INVALID_CREDENTIAL' || reason === 'WRONG_PASSWORD')
    return { text: errors.wrong, field: 'password' }
  return { text: accountRefusal(reason, errors.failed), field: null }
}
