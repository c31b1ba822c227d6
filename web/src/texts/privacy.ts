import { brand } from './brand'
import { figures, type LegalText } from './legal'

/** /politicas-de-privacidade. What the product does with data, by the LGPD (Lei 13.709/2018). */
export const privacy: LegalText = {
  title: 'Políticas de Privacidade',
  lead: `Aqui está o que o ${brand.name} sabe sobre você, para que usa, com quem divide e como você manda nisso.`,
  sections: [
    {
      id: 'responsavel',
      title: '1. Quem cuida dos seus dados',
      body: [
        `A controladora é ${brand.legal_name}, CNPJ ${brand.tax_id}. Para qualquer assunto sobre dados pessoais, inclusive com o encarregado, escreva para ${brand.email}.`,
      ],
    },
    {
      id: 'dados',
      title: '2. Dados que usamos',
      body: [
        [
          'Do cadastro: nome completo, email, senha e, se você quiser, o número de WhatsApp e o endereço de uma foto.',
          'Da assinatura: plano, período, datas, valores, situação dos pagamentos, pedidos de mudança, cancelamento e reembolso.',
          'Do boleto: o CPF, o nome e o endereço que você digita são enviados ao provedor de pagamento.',
          'Da segurança: os aparelhos com a conta aberta e o registro de entradas, trocas de senha e pedidos sobre seus dados.',
          'Do uso do site: endereço IP, navegador, horário dos acessos e a campanha, o parceiro ou o site de onde você veio.',
          'Da sua escolha sobre anúncios: o que você respondeu, quando e a qual texto. Só com a sua permissão, também o código do clique no anúncio que trouxe você.',
        ],
        'Os dados do cartão são digitados em um quadro do provedor de pagamento e não passam pelos nossos servidores. A senha é guardada embaralhada, de um jeito que ninguém consegue ler, nem nós.',
      ],
    },
    {
      id: 'finalidades',
      title: '3. Para que usamos, e com que base legal',
      body: [
        [
          'Criar e manter sua conta, o teste grátis e a assinatura: execução do contrato.',
          'Cobrar, emitir boletos, devolver valores e guardar registros fiscais: contrato e obrigação legal.',
          'Enviar avisos da conta, como confirmação de pagamento, boleto e senha: contrato.',
          'Proteger contas contra invasão e fraude: legítimo interesse.',
          'Contar quantas visitas chegam a cada passo do site, sem nada que identifique alguém: legítimo interesse.',
          'Medir o resultado de anúncios: só com o seu consentimento.',
        ],
        'Não vendemos dados e não tomamos decisões automatizadas que afetem seus direitos.',
      ],
    },
    {
      id: 'compartilhamento',
      title: '4. Com quem dividimos',
      body: [
        [
          'Provedor de pagamento: para processar cartão e boleto.',
          'Serviço de email: para entregar as mensagens da conta.',
          'Plataformas de anúncios (Meta e Google), apenas se você consentiu: que houve cadastro, compra ou pagamento, o plano e o valor, o endereço IP e o navegador; à Meta também email, nome e telefone, transformados em códigos antes de sair.',
          'Serviço que confirma que você não é um robô (Cloudflare ou hCaptcha), apenas se o cadastro pedir essa confirmação: o endereço IP e o navegador.',
          'Autoridades: quando a lei ou uma ordem judicial exigir.',
        ],
        'Algumas dessas empresas podem processar dados fora do Brasil, com as garantias que a LGPD pede.',
      ],
    },
    {
      id: 'cookies',
      title: '5. Cookies e armazenamento no navegador',
      body: [
        `Usamos um cookie essencial, que mantém você conectado. Ele vence ${figures.sessionDays} dias depois do último acesso e, no máximo, ${figures.sessionDaysAtMost} dias depois do login. Sair da conta encerra a sessão na hora.`,
        `O navegador também guarda o plano que você escolheu, o cupom da promoção que trouxe você, dados básicos da conta e, por ${figures.originDays} dias, a campanha de onde você veio, para o site continuar de onde você parou. Sair da conta apaga os seus dados e a compra em andamento.`,
        'Com a sua permissão, plataformas de anúncios gravam cookies próprios, como _fbp e _gcl_au. Se você voltar atrás, apagamos esses cookies e o código do clique.',
      ],
    },
    {
      id: 'preferencias',
      title: '6. Preferências de privacidade',
      body: [
        'Quando o site usa alguma plataforma de anúncios, perguntamos na primeira visita se podemos avisar essas plataformas. Sem resposta ou com recusa, nada sai para elas, nem da página nem dos nossos servidores, e o site funciona igual.',
        'A resposta vale por 1 ano ou até o texto da pergunta mudar. Você muda quando quiser em Preferências de privacidade, no rodapé. De quem tem conta guardamos cada resposta enquanto a conta existir, como prova.',
        'Contar visitas não depende da pergunta: somamos números por dia e por origem, sem cookie e sem nada que diga quem visitou.',
      ],
    },
    {
      id: 'prazo',
      title: '7. Por quanto tempo guardamos',
      body: [
        'Os dados da conta ficam enquanto ela existir. Notas e registros de pagamento ficam pelo prazo que a lei fiscal exige. Registros de segurança ficam por 1 ano; os técnicos são apagados de tempos em tempos.',
        `A campanha de onde você veio fica com a conta por até ${figures.arrivalDays} dias; o código do clique em um anúncio, por até ${figures.originDays} dias, ou até você voltar atrás; a contagem de visitas, por até ${figures.countDays} dias. Do que avisamos a plataformas de anúncios, os códigos do email, do nome e do telefone são apagados depois do aviso, ou 8 dias depois se ele não puder sair; o registro do aviso fica 30 dias.`,
        'O teste grátis, o cupom da primeira assinatura e a garantia valem uma vez por pessoa. Para isso guardamos um código derivado do email, que continua depois que a conta é excluída. De uma conta excluída, é só o que fica do email.',
      ],
    },
    {
      id: 'direitos',
      title: '8. Seus direitos',
      body: [
        'A qualquer momento você tem direito a:',
        [
          'confirmação de que usamos seus dados e acesso a eles;',
          'correção do que estiver errado;',
          'uma cópia em formato aberto, para levar a outro serviço;',
          'exclusão da conta e dos dados que a lei não nos obriga a guardar;',
          'informação sobre com quem dividimos;',
          'retirada de um consentimento, sem efeito para trás.',
        ],
        'Corrigir seus dados, baixar a cópia e excluir a conta você faz na hora, na área do usuário.',
        `Para o resto, escreva para ${brand.email} com o email da conta. Se a resposta não resolver, você pode procurar a Autoridade Nacional de Proteção de Dados (ANPD).`,
      ],
    },
    {
      id: 'seguranca',
      title: '9. Segurança',
      body: [
        'O tráfego é cifrado, senhas e sessões são guardadas apenas como códigos irreversíveis, e só acessa dados quem precisa deles para atender você. Se um incidente puder causar risco, avisamos você e a ANPD.',
      ],
    },
    {
      id: 'grupos',
      title: '10. Pessoas dos seus grupos',
      body: [
        'Sobre os membros dos grupos que você administra, quem decide é você. Tratamos esses dados apenas para executar o que você configurou, como enviar posts e contar membros e cliques.',
      ],
    },
    {
      id: 'alteracoes',
      title: '11. Alterações',
      body: [
        `Se estas Políticas mudarem, avisamos por email com ${figures.noticeDays} dias de antecedência. A data da última versão está no alto da página.`,
      ],
    },
  ],
}
