import type { Metadata, Reason } from '../api/app-error'
import { login } from './login'
import { reset } from './recovery'
import { signUp, weakPassword } from './sign-up'

const tooMany = 'Muitas tentativas. Tente novamente mais tarde'
const sessionOver = 'Sua sessão terminou. Entre de novo.'

/** What a refusal means on every screen of the account; `failed` where it says nothing more. */
function refusal(reason: Reason, failed: string): string {
  if (reason === 'UNAUTHENTICATED') return sessionOver
  return reason === 'TOO_MANY_REQUESTS' ? tooMany : failed
}

/** The editing of the profile in /area-usuario. */
export const profileForm = {
  edit: 'Editar perfil',
  title: 'Editar perfil',
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

/** What a refused profile means; `fields` are the request's names of what was refused. */
export function profileError(
  reason: Reason,
  fields: Readonly<Record<string, string>>,
): { text: string; field: ProfileField | null } {
  const { errors } = profileForm
  if (reason === 'INVALID_PHONE') return { text: errors.whatsapp, field: 'whatsapp' }
  if (reason === 'INVALID_ARGUMENT' && 'photo_url' in fields) return { text: errors.photo, field: 'photo' }
  if (reason === 'INVALID_ARGUMENT' && 'display_name' in fields)
    return { text: errors.missing, field: 'name' }
  return { text: refusal(reason, errors.failed), field: null }
}

/** The quiet line under an email that nobody confirmed yet. */
export const emailCheck = {
  title: 'Confirme seu email',
  text: 'Enviamos um link quando você criou a conta. Ele garante que avisos e recibos cheguem até você.',
  again: 'Enviar link novamente',
  sending: 'Enviando...',
  sent: 'Link enviado',
  sentText: 'Verifique sua caixa de entrada',
} as const

export function emailCheckError(reason: Reason): string {
  return refusal(reason, 'Não foi possível enviar o link. Tente novamente.')
}

/** Devices and password. */
export const security = {
  title: 'Segurança',
  sessions: 'Aparelhos conectados',
  loading: 'Carregando aparelhos...',
  failed: 'Não conseguimos listar seus aparelhos.',
  retry: 'Buscar de novo',
  unknownDevice: 'Aparelho desconhecido',
  here: 'Este aparelho',
  seen: (when: string) => `Visto por último em ${when}`,
  since: (when: string) => `Entrou em ${when}`,
  end: 'Encerrar',
  endOf: (device: string) => `Encerrar a sessão: ${device}`,
  ending: 'Encerrando...',
  ended: 'Sessão encerrada',
  alone: 'Só este aparelho está conectado.',
  // Not 'Sair…': that is the name of another button.
  endAll: 'Encerrar todas as sessões',
  endingAll: 'Encerrando tudo...',
  endedAll: 'Você saiu de todos os aparelhos',
  endFailed: 'Não foi possível encerrar a sessão. Tente novamente.',
  password: {
    open: 'Trocar senha',
    title: 'Trocar senha',
    lead: 'Os outros aparelhos saem da conta e entram de novo com a nova senha.',
    current: 'Senha atual',
    next: reset.password,
    repeated: reset.repeated,
    back: 'Voltar',
    submit: 'Trocar senha',
    submitting: 'Trocando...',
    changed: 'Senha trocada',
    changedText: 'Os outros aparelhos saíram da conta.',
    failed: 'Não foi possível trocar a senha. Tente novamente.',
  },
} as const

export function sessionEndError(reason: Reason): string {
  return refusal(reason, security.endFailed)
}

export type PasswordField = 'current' | 'password' | 'repeated'

const WRONG_PASSWORD = 'Senha incorreta'

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
      return { text: refusal(reason, security.password.failed), field: null }
  }
}

/** What the person may do with their data (LGPD, article 18). */
export const ownData = {
  title: 'Seus dados',
  lead: 'Baixe uma cópia dos seus dados ou exclua a conta.',
  download: 'Baixar meus dados',
  downloading: 'Preparando...',
  file: 'garimpo-meus-dados.json',
  downloaded: 'Seus dados foram baixados',
  downloadFailed: 'Não foi possível preparar seus dados. Tente novamente.',
  remove: 'Excluir minha conta',
  dialog: {
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
    kept: 'As faturas ficam guardadas sem o seu nome, como a lei pede.',
    trial:
      'Uma nova conta com este email não tem outro teste grátis, nem o cupom da primeira assinatura, nem a garantia.',
    password: 'Sua senha',
    back: 'Voltar',
    submit: 'Excluir minha conta',
    submitting: 'Excluindo...',
    errors: {
      missing: login.missing,
      wrong: WRONG_PASSWORD,
      failed: 'Não foi possível confirmar a exclusão. Tente novamente.',
    },
  },
  deleted: {
    title: 'Conta excluída',
    text: 'Seus dados pessoais foram apagados e você saiu de todos os aparelhos. Também enviamos a confirmação por email.',
    protocol: 'Protocolo',
    home: 'Ir para o início',
  },
} as const

export function exportError(reason: Reason): string {
  return refusal(reason, ownData.downloadFailed)
}

export function deletionError(reason: Reason): { text: string; field: 'password' | null } {
  const { errors } = ownData.dialog
  if (reason === 'INVALID_CREDENTIAL' || reason === 'WRONG_PASSWORD')
    return { text: errors.wrong, field: 'password' }
  return { text: refusal(reason, errors.failed), field: null }
}
