import { type Path, paths } from '../lib/paths'
import { brand } from './brand'

/** Title and description of each screen, as the tab and search engines show them. */
export interface Meta {
  title: string
  description: string
}

const named = (title: string, description = ''): Meta => ({ title: `${title} | ${brand.name}`, description })

export const meta: Record<Path, Meta> = {
  [paths.home]: {
    title: 'Garimpo: ofertas encontradas e postadas nos seus grupos',
    description:
      'Encontre promoções com IA e publique com o seu link de afiliado no WhatsApp e no Telegram, no automático. Teste por 7 dias, sem cartão.',
  },
  [paths.promoLanding]: named(
    'Comece pagando menos no primeiro mês',
    'Ofertas encontradas com IA e postadas com o seu link nos seus grupos. Com cupom, o primeiro pagamento sai menor em qualquer plano. Garantia de 7 dias.',
  ),
  [paths.bio]: named('Links'),
  [paths.plans]: named(
    'Planos e preços',
    'Compare Top Afiliado, Elite e Elite PRO: grupos, filas, promotores automáticos e busca com IA. Teste grátis por 7 dias, sem cartão, e garantia de 7 dias.',
  ),
  [paths.promoPlans]: named(
    'Planos com desconto no primeiro mês',
    'Top Afiliado, Elite e Elite PRO com cupom no primeiro pagamento. Depois, o preço normal. Cartão ou boleto, garantia de 7 dias, cancele quando quiser.',
  ),
  [paths.login]: named('Entrar'),
  [paths.signUp]: named('Criar conta'),
  [paths.terms]: named('Termos de Uso'),
  [paths.privacy]: named('Políticas de Privacidade'),
  [paths.about]: named('Sobre Nós'),
  [paths.solutions]: named(
    'Soluções',
    'Busca de promoções com IA, robô para WhatsApp e Telegram, catálogo, criador de posts e vitrine no seu domínio: da oferta na loja ao post no grupo.',
  ),
  [paths.forgotPassword]: named('Recuperação de Senha'),
  [paths.resetPassword]: named('Redefinir senha'),
  [paths.upsell]: named('Ofertas exclusivas'),
  [paths.checkout]: named('Finalizar Assinatura'),
  [paths.checkoutReturn]: named('Confirmando o pagamento'),
  [paths.account]: named('Minha Conta'),
  [paths.paymentSuccess]: named('Pagamento confirmado'),
  [paths.paymentCanceled]: named('Pagamento cancelado'),
  [paths.paymentAwaited]: named('Aguardando pagamento'),
  [paths.accountConfirmation]: named('Conta criada'),
}

export const notFoundMeta: Meta = named('Página não encontrada')
