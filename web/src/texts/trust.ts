import { paths } from '../lib/paths'
import { brand } from './brand'
import { figures } from './legal'

/** Between plans and questions: the guarantee, the company, security and privacy. */
export const trust = {
  title: 'Se não servir, o dinheiro volta',
  voucher: {
    days: `${figures.guaranteeDays} dias`,
    stub: 'de garantia na primeira assinatura',
    lead: 'Você pede a devolução sozinho, sem falar com ninguém:',
    // The names of the page, the card and the button (trust.test.ts).
    steps: [
      'Abra Minha Conta.',
      `Em Garantia de ${figures.guaranteeDays} dias, toque em Pedir reembolso.`,
      `Confirme. No cartão, o estorno é pedido na hora; no boleto, a devolução é por Pix em até ${figures.pixRefundDays} dias.`,
    ],
    rules: { text: 'Ler a regra nos Termos de Uso', to: `${paths.terms}#garantia` },
  },
  company: {
    title: 'Quem responde',
    facts: [
      ['Empresa', brand.legal_name],
      ['Desde', String(brand.founded)],
      ['CNPJ', brand.tax_id],
      ['Atendimento', brand.support_hours],
    ],
  },
  /** Each sentence is one of the privacy policy, in its section. */
  privacy: {
    title: 'Segurança e privacidade',
    items: [
      {
        text: 'Os dados do cartão vão direto ao provedor de pagamento e não passam pelos nossos servidores.',
        section: 'dados',
        link: 'Que dados usamos',
      },
      {
        text: 'Senhas são guardadas como códigos irreversíveis, e o tráfego é cifrado.',
        section: 'seguranca',
        link: 'Como protegemos',
      },
      {
        text: 'Não vendemos dados, e plataformas de anúncios não recebem nada sem a sua permissão.',
        section: 'compartilhamento',
        link: 'Com quem dividimos',
      },
      {
        text: 'Você baixa uma cópia dos seus dados e exclui a conta na hora, na área do usuário.',
        section: 'direitos',
        link: 'Quais são os seus direitos',
      },
    ],
  },
} as const

/** The section of the privacy policy that states it. */
export const privacySection = (id: string) => `${paths.privacy}#${id}`
