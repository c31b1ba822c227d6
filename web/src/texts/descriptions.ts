import { type Path, paths } from '../lib/paths'

/**
 * The description of each screen for search engines and shared links. Of no first visit's scripts:
 * the build writes it into the pages.
 */
export const descriptions: Partial<Record<Path, string>> = {
  [paths.home]:
    'Encontre promoções com IA e publique com o seu link de afiliado no WhatsApp e no Telegram, no automático. Teste por 7 dias, sem cartão.',
  [paths.promoLanding]:
    'Ofertas encontradas com IA e postadas com o seu link nos seus grupos. Com cupom, o primeiro mês sai mais barato. Garantia de 7 dias.',
  [paths.bio]:
    'Site oficial, teste grátis, cupom de primeira assinatura, WhatsApp, suporte e Central de Ajuda do Garimpo.',
  [paths.plans]:
    'Compare Top Afiliado, Elite e Elite PRO: grupos, filas, promotores automáticos e busca com IA. Teste grátis por 7 dias, sem cartão, e garantia de 7 dias.',
  [paths.promoPlans]:
    'Top Afiliado, Elite e Elite PRO com cupom no primeiro pagamento. Depois, o preço normal. Cartão ou boleto, garantia de 7 dias, cancele quando quiser.',
  [paths.terms]:
    'Teste grátis, assinatura, renovação, mudança de plano, cancelamento, garantia de 7 dias e reembolso: as regras do Garimpo em linguagem direta.',
  [paths.privacy]:
    'Que dados o Garimpo usa, para quê, com quem divide, por quanto tempo guarda e como você acessa, corrige ou exclui.',
  [paths.about]:
    'Quem faz o Garimpo, desde 2024, e por quê: tirar do afiliado o trabalho braçal de achar e postar ofertas.',
  [paths.solutions]:
    'Busca de promoções com IA, robô para WhatsApp e Telegram, catálogo, criador de posts e vitrine no seu domínio: da oferta na loja ao post no grupo.',
  [paths.login]: 'Entre na sua conta do Garimpo para ver o seu plano, as faturas e os seus dados.',
  [paths.signUp]:
    'Crie a sua conta e teste o plano Profissional por 7 dias, sem cartão: ofertas encontradas com IA e postadas nos seus grupos.',
}
