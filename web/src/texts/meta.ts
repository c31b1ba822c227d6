import { type Path, paths } from '../lib/paths'
import { brand } from './brand'

export const named = (title: string) => `${title} | ${brand.name}`

/**
 * The title of each screen, as the tab, search engines and screen readers have it. A page that is
 * an outcome has its own once it is known (ui/result): until then these must promise nothing.
 */
export const titles: Record<Path, string> = {
  [paths.home]: 'Garimpo: ofertas encontradas e postadas nos seus grupos',
  [paths.promoLanding]: named('Pague menos no primeiro mês'),
  [paths.bio]: named('Links'),
  [paths.plans]: named('Planos e preços'),
  [paths.promoPlans]: named('Planos com desconto no primeiro mês'),
  [paths.login]: named('Entrar'),
  [paths.signUp]: named('Criar conta'),
  [paths.terms]: named('Termos de Uso'),
  [paths.privacy]: named('Políticas de Privacidade'),
  [paths.about]: named('Sobre Nós'),
  [paths.solutions]: named('Soluções'),
  [paths.forgotPassword]: named('Recuperação de Senha'),
  [paths.resetPassword]: named('Redefinir senha'),
  [paths.confirmEmail]: named('Confirmar email'),
  [paths.upsell]: named('Ofertas exclusivas'),
  [paths.checkout]: named('Finalizar Assinatura'),
  [paths.checkoutReturn]: named('Confirmando o pagamento'),
  [paths.confirmPayment]: named('Confirmar pagamento'),
  [paths.account]: named('Minha Conta'),
  [paths.paymentSuccess]: named('Confirmando o pagamento'),
  [paths.paymentCanceled]: named('Conferindo o pagamento'),
  [paths.paymentAwaited]: named('Aguardando pagamento'),
  [paths.accountConfirmation]: named('Conta criada'),
  [paths.accountDeleted]: named('Conta excluída'),
}

export const notFoundTitle = named('Página não encontrada')
