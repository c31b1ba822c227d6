import type { Reason } from '../api/app-error'
import { cookiesBlocked, tooManyAttempts } from './site'

/** /login. */
export const login = {
  title: 'Entre na sua conta',
  lead: 'Acompanhe sua assinatura e continue de onde parou.',
  afterReset: 'Senha redefinida com sucesso! Entre com a nova senha.',
  email: 'Email',
  emailPlaceholder: 'voce@exemplo.com',
  password: 'Senha',
  forgot: 'Esqueci minha senha',
  submit: 'Entrar',
  submitting: 'Entrando...',
  google: 'Continuar com Google',
  googleSoon: 'Em breve',
  or: 'ou',
  noAccount: 'Ainda não tem conta?',
  signUp: 'Cadastre-se',
  plan: (name: string) => `Depois de entrar, você continua com o plano ${name}.`,
  missing: 'Por favor, preencha todos os campos',
  success: 'Login realizado com sucesso!',
  failed: 'Erro ao fazer login. Tente novamente.',
} as const

const reasons: Partial<Record<Reason, string>> = {
  INVALID_CREDENTIAL: 'Email ou senha inválidos',
  USER_NOT_FOUND: 'Usuário não encontrado',
  WRONG_PASSWORD: 'Senha incorreta',
  TOO_MANY_REQUESTS: tooManyAttempts,
  COOKIES_BLOCKED: cookiesBlocked,
}

export function loginError(reason: Reason): string {
  return reasons[reason] ?? login.failed
}
