import type { Reason } from '../api/app-error'
import { accountRefusal } from './refusals'

/** The button of the profile, and the title of its form. */
export const editProfile = 'Editar perfil'

/** Nobody can change a confirmed email, because it identifies the account. */
export const fixedEmail = 'O email confirmado não pode ser trocado. Se você o perdeu, fale com o suporte.'

/** The quiet line under an email that nobody confirmed yet. */
export const emailCheck = {
  title: 'Confirme seu email',
  text: 'Abra o link que enviamos para este email.',
  again: 'Enviar link novamente',
  sending: 'Enviando...',
  correct: 'Corrigir email',
  sent: 'Link enviado',
  sentText: 'Verifique sua caixa de entrada',
} as const

export function emailCheckError(reason: Reason): string {
  return accountRefusal(reason, 'Não foi possível enviar o link. Tente novamente.')
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
  endAllHint: 'Encerrar todas as sessões inclui a deste aparelho.',
  endedAll: 'Você saiu de todos os aparelhos',
  endFailed: 'Não foi possível encerrar a sessão. Tente novamente.',
  changePassword: 'Trocar senha',
} as const

export function sessionEndError(reason: Reason): string {
  return accountRefusal(reason, security.endFailed)
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
  deleted: {
    title: 'Conta excluída',
    text: 'Seus dados pessoais foram apagados e você saiu de todos os aparelhos. Não haverá mais cobranças. Também enviamos a confirmação por email.',
    protocol: 'Protocolo',
    home: 'Ir para o início',
  },
} as const

export function exportError(reason: Reason): string {
  return accountRefusal(reason, ownData.downloadFailed)
}
