// A mail server for the tests: SMTP with STARTTLS (its own certificate) and a password. It listens
// on the given port or any free one, prints `listening <port>`, and then prints each accepted mail
// as a line of JSON. The recipient decides the response: adiada@ is deferred once, longe@ is
// deferred each time, recusada@ is refused, inexistente@ does not exist, torta@ is not an address,
// and alheia@ is not relayed.
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

const [port = '0', user = 'garimpo', password = 'segredo-do-correio'] = process.argv.slice(2)
/**
 * @param {number} code
 * @param {string} text
 */
const answer = (code, text) => Object.assign(new Error(text), { responseCode: code })
const seen = new Set()

const server = new SMTPServer({
  allowInsecureAuth: true,
  onAuth: (auth, _, done) =>
    auth.username === user && auth.password === password
      ? done(null, { user })
      : done(answer(535, 'Authentication failed')),
  onRcptTo: ({ address }, _, done) => {
    if (address.startsWith('inexistente')) return done(answer(550, `<${address}> does not exist`))
    if (address.startsWith('torta')) return done(answer(501, '5.1.3 Bad recipient address syntax'))
    if (address.startsWith('longe')) return done(answer(450, '4.1.2 Domain not found'))
    if (address.startsWith('alheia')) return done(answer(550, '5.7.1 Relaying denied'))
    if (address.startsWith('recusada')) return done(answer(554, `<${address}> is not served`))
    const first = !seen.has(address)
    seen.add(address)
    done(address.startsWith('adiada') && first ? answer(451, 'Come back later') : undefined)
  },
  onData: async (stream, { envelope, secure }, done) => {
    const { from, subject, text, html, messageId, headers } = await PostalMime.parse(await buffer(stream))
    const to = envelope.rcptTo.map(({ address }) => address)
    const auto = headers.find(({ key }) => key === 'auto-submitted')?.value
    process.stdout.write(`${JSON.stringify({ to, from, subject, text, html, messageId, auto, secure })}\n`)
    done()
  },
})
server.on('error', (error) => process.stderr.write(`${error.message}\n`))
server.listen(Number(port), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.server.address())
  process.stdout.write(`listening ${port}\n`)
})
