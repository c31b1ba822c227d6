/**
 * Names of tests, of their helpers and of their files are English. This check finds Portuguese
 * words in them. Quoted texts, paths and names such as São Paulo may stand in a title.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** Words without accents, none of which is English. Names in code have no accents. */
const WORDS = new Set(
  `abre acessibilidade acesso adia ainda alinhadas alinhados ano anos antes anual ao aos apaga assinatura
  assinaturas ataque ataques ate avisa aviso avisos bloqueia bloqueio cada cadastro cadastros cai cancela
  cancelamento cancelamentos carencia cartao chamada chamadas cliente cobra cobranca coluna colunas com
  compra compras conta contas contestacao contestacoes contrato contratos conversao conversoes corrida
  corridas cupom dados das depois devolve dia dias digito digitos direito direitos dois dos duas em errado
  erro esta este falha falhas fatura faturas fecha fechada fechado fica ficam foi frota hora horas isso ja
  loja lojas mais mas mensal mes meses mesma mesmo modelo mostra mostram muda mudanca na nada nao nas nenhum
  nenhuma ninguem nos nova novas novo novos nunca oferta ofertas operacao ordem outra outras outro outros
  paga pagamento pagamentos pagina paginas pago para pede pela pelas pelo pelos pessoa pessoas plano planos
  plataforma plataformas pode prazo preco precos primeira primeiro quando que queda quedas quem recebe
  recebem recusa reembolso renovacao restaura sao segredo segunda segundo sem semana sempre senha ser sessao
  seu seus simultanea simultaneas simultaneos sobre sua suas suspensao tambem tela telas tem temporizador
  temporizadores teste testes toda todas todo todos tres troca um uma umas uns usuario vai vale valor vem
  vencida vencido visitante volta voltam`.split(/\s+/),
)
const ACCENTS = /[áàâãéêíóôõúç]/i
/**
 * Parts of a name that stay Portuguese: quoted texts, paths of the site, proper names. A quote opens
 * after a space or a bracket, unlike an apostrophe.
 */
const ALLOWED =
  /(?<![^ ([])(?:'[^']*'|"[^"]*"|`[^`]*`|“[^”]*”)(?![^ ,;:.)\]])|\/[\w/.-]+|s[ãa]o[ _]?paulo|elite nível|novo10|promo=\w+/gi

/** Tests, examples, shell scripts, and all Rust files, because these contain their unit tests. */
const CHECKED = /(^|\/)tests\/|^docs\/examples\/|^(packaging|bench)\/.*\.sh$|\.rs$|\.(test|spec)\.tsx?$/
const QUOTED = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/.source
const SCRIPT = [/\b(?:function|const|let|class) (\w+)/g]
const TYPESCRIPT = [
  /\b(?:function|const|let|class|type|interface|enum) (\w+)/g,
  // A title: the text before the function of a call, as in `test('…', async () => {})`.
  new RegExp(`[\\w)]\\(\\s*(${QUOTED}),\\s*(?:\\{[^{}]*\\},\\s*)?(?:async\\s*)?(?:\\(|\\w+ =>)`, 'g'),
]

/** Tests that take their titles from the first column of a table, and such a title. */
const TABLE = /\btest\(\w+, |\]\)\('%s', /
const ROW = /^\s+\[\s*('[a-z](?:\\.|[^'\\\n])*'),/gm

/** By file name extension: the names that a file defines. */
const DEFINITIONS = {
  '.rs': [
    /\b(?:fn|mod|struct|enum|const|static|type|trait|macro_rules!|let(?: mut)?) (\w+)/g,
    // A variant of an enum, with or without fields.
    /^\s+([A-Z]\w*)(?:,|\(| \{| =)/gm,
  ],
  '.py': [/^\s*(?:def|class) (\w+)/gm],
  // With `function`, with parentheses, or with both.
  '.sh': [/^\s*(?:function |(?=\w+ ?\(\)))(\w+)/gm],
  '.js': SCRIPT,
  '.mjs': SCRIPT,
  '.ts': TYPESCRIPT,
  '.tsx': TYPESCRIPT,
}

/** The first Portuguese word of a name or title. @param {string} name */
function portuguese(name) {
  const words =
    name
      .replace(ALLOWED, '')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .match(/\p{L}+/gu) ?? []
  return words.find((word) => WORDS.has(word.toLowerCase()) || ACCENTS.test(word))
}

/** @type {string[]} */
const problems = []
const root = join(import.meta.dirname, '../..')
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
for (const file of new Set(listed.toString().split('\n'))) {
  if (!CHECKED.test(file)) continue
  const inPath = portuguese(file.replaceAll('/', ' '))
  if (inPath) problems.push(`${file}: '${inPath}' in the name of the file`)
  const text = readFileSync(join(root, file), 'utf8')
  const defined = DEFINITIONS[/** @type {keyof typeof DEFINITIONS} */ (extname(file))] ?? []
  const patterns = TABLE.test(text) ? [...defined, ROW] : defined
  for (const match of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
    const [whole, name = ''] = match
    const word = portuguese(/^['"`]/.test(name) ? name.slice(1, -1).replace(/\\(.)/g, '$1') : name)
    const line = text.slice(0, match.index + whole.indexOf(name)).split('\n').length
    if (word) problems.push(`${file}:${line}: '${word}' in the name ${name}`)
  }
}

for (const problem of problems) console.error(problem)
if (problems.length > 0) console.error('Names of tests and of their files are in English.')
process.exitCode = problems.length > 0 ? 1 : 0
