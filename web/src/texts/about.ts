import { brand } from './brand'

/** /sobre. Only what is true: no team photos, no numbers, no clients that we have not. */
export const about = {
  title: 'Garimpar é trabalho. A gente fez a peneira.',
  lead: `O ${brand.name} nasceu em ${brand.founded}, no Brasil, para afiliados, criadores de conteúdo e empreendedores digitais que divulgam ofertas em grupos e não aguentam mais copiar link de madrugada.`,
  story: [
    'Garimpar é o que o brasileiro faz quando procura a oferta boa no meio do cascalho. Quem trabalha como afiliado faz isso todo dia: abre loja por loja, confere preço, troca o link, monta o post, manda em um grupo, depois no outro.',
    'É um trabalho de peneira, e isso uma máquina faz bem: olha as lojas sem parar, descarta o que não presta e entrega a pepita pronta, o post com o seu link, no seu grupo, na hora certa. O gosto, o público e a confiança continuam sendo seus.',
  ],
  values: {
    title: 'Como a gente trabalha',
    items: {
      'Preço na mesa':
        'Quanto custa hoje e quanto custa depois, antes de você pagar. O mesmo número do cartão do plano até a fatura.',
      'Porta aberta':
        'Teste sem cartão, garantia na primeira assinatura, cancelamento na área do usuário. Sair é tão fácil quanto entrar.',
      'Sem promessa de riqueza':
        'Comissão depende do seu público e das lojas. O que prometemos é o trabalho braçal feito.',
      'Gente do outro lado':
        'Chat no app, WhatsApp e Central de Ajuda, para quem começa e para quem tem dezenas de grupos.',
    },
  },
  company: 'A empresa',
  founded: `Fundada em ${brand.founded}.`,
  action: {
    title: 'Veja a peneira funcionando',
    text: '7 dias com os limites do Elite Nível 1, sem cartão.',
    plans: 'Ver planos',
  },
} as const
