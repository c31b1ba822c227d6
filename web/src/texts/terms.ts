import { brand } from './brand'
import { figures, type LegalText } from './legal'

const [from, to] = figures.cardRefundBusinessDays
const [month, quarter, half, year] = figures.periodDays

/** /termos. True to the rules and the settings (legal.test.ts). */
export const terms: LegalText = {
  title: 'Termos de Uso',
  lead: `Estas são as regras para usar o ${brand.name}. Escrevemos para serem lidas: o que você contrata, quanto custa, como cancela e como recebe seu dinheiro de volta.`,
  sections: [
    {
      id: 'aceite',
      title: '1. Aceite',
      body: [
        `Ao criar uma conta ou assinar um plano, você concorda com estes Termos e com as Políticas de Privacidade. Se não concordar, não use o ${brand.name}.`,
        'Você precisa ter 18 anos ou mais, ou ser representado por quem responda por você, e informar dados verdadeiros no cadastro.',
      ],
    },
    {
      id: 'servico',
      title: '2. O que o serviço faz',
      body: [
        `O ${brand.name} é um serviço por assinatura que encontra promoções em lojas online e as publica nos seus grupos e canais de WhatsApp e Telegram, com o seu link de afiliado.`,
        'Cada plano tem limites próprios de números, grupos, filas, automações e recursos. Eles aparecem no cartão do plano antes da compra e valem para a sua conta enquanto a assinatura durar.',
        'Preço, estoque e comissão são definidos pelas lojas e pelos programas de afiliados, e podem mudar a qualquer momento. Não prometemos vendas nem ganhos.',
      ],
    },
    {
      id: 'conta',
      title: '3. Sua conta',
      body: [
        `A conta é pessoal. Guarde sua senha, que precisa ter pelo menos ${figures.passwordMinimum} caracteres, e avise o suporte se desconfiar de uso por outra pessoa.`,
        'Você responde pelo que publica e pelos grupos que administra. Os números de WhatsApp e as contas de Telegram conectadas continuam sujeitos às regras dessas plataformas.',
      ],
    },
    {
      id: 'teste',
      title: '4. Teste grátis',
      body: [
        `Toda conta nova tem ${figures.trialDays} dias de teste grátis do plano ${figures.trialPlan}, contados da criação da conta e uma única vez por pessoa. O ${figures.trialPlan} tem os limites do ${figures.trialLimitsOf}. Não pedimos cartão.`,
        'Sem cartão não há o que cobrar: se você não assinar, o teste termina, os envios param e nada é cobrado. O teste só vira assinatura paga se você escolher um plano e concluir o pagamento.',
        'Se você assinar durante o teste, a cobrança é feita na hora e o acesso ao plano escolhido começa com o pagamento, a menos que a tela de pagamento diga, antes de você confirmar, que a primeira cobrança fica para o fim do teste.',
      ],
    },
    {
      id: 'pagamento',
      title: '5. Preços e pagamento',
      body: [
        'Os preços estão em reais e aparecem antes de cada compra, com o desconto, o valor do primeiro pagamento e o valor das renovações.',
        'Você paga com cartão de crédito ou boleto. No cartão, o acesso é liberado quando o pagamento é aprovado. No boleto, quando o banco confirma o pagamento; o período pago conta do dia em que o boleto é emitido.',
        'Cupons valem para o primeiro pagamento, um por compra, nas condições mostradas na página da promoção.',
      ],
    },
    {
      id: 'renovacao',
      title: '6. Assinatura e renovação automática',
      body: [
        `A assinatura é pré-paga, em períodos de ${month}, ${quarter}, ${half} ou ${year} dias, e renova automaticamente ao fim de cada período, pelo valor do plano então em vigor na sua assinatura, até que você cancele.`,
        'Nas renovações por boleto, enviamos um novo boleto a cada período.',
      ],
    },
    {
      id: 'falta-de-pagamento',
      title: '7. Quando um pagamento falha',
      body: [
        `No cartão, a recusa da renovação suspende o acesso${figures.graceDays === 0 ? ' assim que é informada pelo banco' : ` ${figures.graceDays} dias depois`}. Entre o fim do período pago e o resultado da cobrança, o acesso continua por até ${figures.renewalHours} horas.`,
        `No boleto, o acesso continua até o vencimento e por mais ${figures.boletoGraceDays} dias, tempo que os bancos levam para confirmar. Depois disso, é suspenso.`,
        'A suspensão termina quando um novo pagamento é confirmado. Se não houver pagamento, a assinatura é cancelada. Seus dados continuam na conta.',
      ],
    },
    {
      id: 'mudanca-de-plano',
      title: '8. Mudança de plano',
      body: [
        'Você pode mudar de plano a qualquer momento. Antes de confirmar, mostramos o valor exato.',
        [
          'Para um plano maior: você paga na hora a diferença proporcional ao tempo que falta do período.',
          'Para um plano menor: o valor que sobra vira crédito, usado nas próximas cobranças.',
        ],
        'Quem paga por boleto adiciona um cartão antes de subir de plano. Se uma renovação estiver em aberto, ela é paga antes de qualquer mudança.',
        'Se o pagamento de que o crédito saiu for devolvido, o crédito acaba junto.',
      ],
    },
    {
      id: 'cancelamento',
      title: '9. Cancelamento',
      body: [
        'Você cancela sozinho, na área do usuário, quando quiser e sem taxas. O acesso continua até o fim do período já pago, e não há novas cobranças.',
        'Enquanto o período pago não termina, você pode desfazer o cancelamento.',
      ],
    },
    {
      id: 'garantia',
      title: '10. Garantia e direito de arrependimento',
      body: [
        `Na sua primeira assinatura, você tem ${figures.guaranteeDays} dias corridos depois do primeiro pagamento, até as 23h59 do último dia no horário de Brasília, para pedir o dinheiro de volta. A devolução é integral, sem condições e sem perguntas, e encerra o acesso.`,
        [
          `No cartão: o estorno é pedido na hora e costuma aparecer na fatura em ${from} a ${to} dias úteis.`,
          `No boleto: a devolução é por Pix em até ${figures.pixRefundDays} dias. A chave Pix precisa ser o email da assinatura.`,
        ],
        'A garantia vale uma vez, só para a primeira assinatura. Os direitos do Código de Defesa do Consumidor não são reduzidos por estes Termos.',
      ],
    },
    {
      id: 'uso-correto',
      title: '11. Uso correto',
      body: [
        'Não é permitido:',
        [
          'enviar mensagens a quem não pediu, golpes, conteúdo ilegal ou que viole direitos de outras pessoas;',
          'revender o acesso, burlar os limites do plano ou tentar invadir o serviço;',
          'usar o serviço para violar as regras das lojas, dos programas de afiliados, do WhatsApp ou do Telegram.',
        ],
        'Podemos suspender a conta que descumprir estas regras, avisando o motivo por email.',
      ],
    },
    {
      id: 'disponibilidade',
      title: '12. Disponibilidade e responsabilidade',
      body: [
        'Trabalhamos para manter o serviço no ar 24 horas por dia, mas ele depende de terceiros, como lojas, bancos, WhatsApp e Telegram, e pode parar para manutenção ou por falhas deles.',
        'Respondemos pelos danos que causarmos, na forma da lei. Não respondemos por decisões dessas plataformas, como bloqueios de números ou mudanças de comissão.',
      ],
    },
    {
      id: 'propriedade',
      title: '13. Propriedade',
      body: [
        `A marca, o site e o software do ${brand.name} são nossos. O que você publica continua seu. Nomes de lojas citados no site pertencem aos seus donos.`,
      ],
    },
    {
      id: 'alteracoes',
      title: '14. Alterações destes Termos',
      body: [
        `Podemos alterar estes Termos. Avisamos por email com ${figures.noticeDays} dias de antecedência. Se você não concordar, pode cancelar antes que a mudança comece a valer.`,
      ],
    },
    {
      id: 'contato',
      title: '15. Suporte, lei e foro',
      body: [
        `O suporte atende por chat no app, por WhatsApp, no número ${brand.phone}, e por email, em ${brand.email}, e há uma Central de Ajuda com respostas prontas.`,
        'Valem as leis do Brasil. O foro é o do seu domicílio.',
      ],
    },
  ],
}
