import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * Runs in the page before its own scripts. Two reports are no errors: loads canceled by a
 * navigation, and a ResizeObserver that continues in the next frame.
 */
const SCRIPT = `
let isLeft = false
addEventListener('beforeunload', () => { isLeft = true })
const send = (text) => isLeft || text.startsWith('ResizeObserver loop') || navigator.sendBeacon('/_errors', text)
addEventListener('error', ({ message, target }) => send(message || (target.src || target.href) + ' did not load'), true)
addEventListener('unhandledrejection', ({ reason }) => send(String(reason)))
const log = console.error
console.error = (...parts) => {
  send(parts.join(' '))
  log(...parts)
}
`

/** A proxy that adds a script to every page of the product, and receives the errors that the script sends. */
export class ErrorCollector {
  readonly errors: string[] = []
  private target = ''
  private readonly server: Server = createServer((call, answer) => this.serve(call, answer))

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Sets the address of the product, which must know the proxy's before it starts. */
  forwardTo(url: string) {
    this.target = url
  }

  stop() {
    this.server.closeAllConnections()
    this.server.close()
  }

  private async serve(call: IncomingMessage, answer: ServerResponse) {
    if (call.url === '/_errors.js') answer.setHeader('content-type', 'text/javascript').end(SCRIPT)
    else if (call.url === '/_errors') {
      this.errors.push(await text(call))
      answer.writeHead(204).end()
    } else this.forward(call, answer)
  }

  private forward(call: IncomingMessage, answer: ServerResponse) {
    const headers = { ...call.headers, 'accept-encoding': 'identity' }
    const sent = request(`${this.target}${call.url}`, { method: call.method, headers }, async (response) => {
      const isPage = response.headers['content-type']?.startsWith('text/html')
      if (!isPage) {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
        return
      }
      const { 'content-length': _, ...kept } = response.headers
      answer.writeHead(response.statusCode ?? 502, kept)
      answer.end((await text(response)).replace('<head>', '<head><script src="/_errors.js"></script>'))
    })
    sent.once('error', () => answer.destroy())
    call.pipe(sent)
  }
}
