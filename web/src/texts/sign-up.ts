import type { Metadata, Reason } from '../api/app-error'
import { cookiesBlocked, site } from './site'

/** /cadastro. */
export const signUp = {
  title: 'Crie sua conta',
  lead: 'Teste o plano Profissional por 7 dias. Sem cartão.',
  leadWithPlan: (plan: string) => `Crie a conta: seu teste começa agora e o ${plan} fica guardado.`,
  plan: 'Plano escolhido',
  price: (price: string, period: string) => `por ${price}${period}`,
  firstMonth: ' no 1º mês',
  firstPeriod: ' no 1º período',
  later: (monthly: string) => `Depois, ${monthly}/mês.`,
  /** The trial, which begins now, ends after the campaign. */
  laterInCampaign: (monthly: string) => `Assinando até 30 de novembro. A partir do 2º mês, ${monthly}/mês.`,
  name: 'Nome completo',
  namePlaceholder: 'Ana Souza',
  email: 'Email',
  emailPlaceholder: 'voce@exemplo.com',
  meant: (email: string) => `Você quis dizer ${email}?`,
  whatsapp: 'WhatsApp (opcional)',
  whatsappPlaceholder: '(11) 98765-4321',
  whatsappHint: 'Para falarmos com você sobre a sua conta.',
  password: 'Senha',
  passwordHint: (minimum: number) => `Pelo menos ${minimum} caracteres`,
  submit: 'Criar conta',
  submitting: 'Criando conta...',
  agree: 'Ao criar a conta, você concorda com os',
  terms: 'Termos de Uso',
  and: 'e as',
  privacy: 'Políticas de Privacidade',
  google: 'Cadastrar com Google',
  or: 'ou',
  haveAccount: 'Já tem conta?',
  login: 'Faça login',
  /** The words of the error that lead to /login. */
  loginInError: 'faça login',
  errors: {
    missing: 'Por favor, preencha todos os campos obrigatórios.',
    email: 'Digite um email válido.',
    whatsapp: 'Digite um número de WhatsApp válido com DDD.',
    password: (minimum: number | string = 6) => `A senha deve ter pelo menos ${minimum} caracteres.`,
    passwordLong: 'A senha pode ter no máximo 128 caracteres.',
    guessable: 'Esta senha é fácil de adivinhar. Escolha outra.',
    failed: 'Ocorreu um erro ao criar sua conta. Tente novamente.',
  },
  challenge: {
    first: 'Para criar a conta, confirme que você não é um robô.',
    refused: 'A confirmação anterior não vale mais. Confirme de novo que você não é um robô e crie a conta.',
    expired: 'A confirmação expirou. Confirme de novo que você não é um robô.',
    failed:
      'A confirmação não carregou. Confira a internet, libere-a no bloqueador de anúncios e tente de novo.',
    again: 'Tentar novamente',
  },
  promises: {
    title: 'O que você ganha agora',
    items: [
      {
        title: '7 dias de teste',
        text: 'O plano Profissional, com os limites do Elite Nível 1, sem cartão e sem cobrança ao final.',
      },
      {
        title: 'Seus grupos no automático',
        text: 'Ofertas encontradas, post montado e link de afiliado trocado.',
      },
      { title: 'Cancele quando quiser', text: 'Direto na sua conta, sem taxas e sem ligação.' },
    ],
  },
} as const

/** The field of the form that an error belongs to. */
export type SignUpField = 'name' | 'email' | 'whatsapp' | 'password'

/**
 * Why a new password was refused, by the metadata of WEAK_PASSWORD: `minimum` of a short one,
 * `refused` of a listed one (docs/operation.md).
 */
export function weakPassword({ minimum, refused }: Metadata): string {
  return refused === 'true' ? signUp.errors.guessable : signUp.errors.password(minimum)
}

const reasons: Partial<Record<Reason, { text: string; field: SignUpField | null }>> = {
  EMAIL_IN_USE: { text: 'Este email já está em uso. Tente outro ou faça login.', field: 'email' },
  INVALID_EMAIL: { text: 'Email inválido. Verifique e tente novamente.', field: 'email' },
  INVALID_PHONE: { text: signUp.errors.whatsapp, field: 'whatsapp' },
  COOKIES_BLOCKED: { text: cookiesBlocked, field: null },
  CHALLENGE_REQUIRED: { text: signUp.challenge.first, field: null },
  OFFLINE: { text: site.unheard.text, field: null },
}

export function signUpError(reason: Reason, metadata: Metadata): { text: string; field: SignUpField | null } {
  if (reason === 'WEAK_PASSWORD') return { text: weakPassword(metadata), field: 'password' }
  return reasons[reason] ?? { text: signUp.errors.failed, field: null }
}
