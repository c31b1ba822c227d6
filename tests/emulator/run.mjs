// The identity provider's Auth emulator from its own package, without its command line, which needs
// three more ports, checks for updates and knows one project.
//
// `node run.mjs` listens on a free port of 127.0.0.1 and prints its address when it is ready. The
// first part of a path is the project, because the emulator's API keys name none:
// http://127.0.0.1:PORT/demo-garimpo/identitytoolkit.…/v1/…. demo-garimpo distinguishes unknown
// emails from wrong passwords, as old projects do; demo-protegido does not, as new ones.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const { createApp } = createRequire(import.meta.url)('firebase-tools/lib/emulator/auth/server.js')
const projects = new Map()
for (const id of ['demo-garimpo', 'demo-protegido']) projects.set(id, await createApp(id))

const server = createServer((request, response) => {
  const [, id, rest] = (request.url ?? '').match(/^\/([a-z-]+)(\/.*)$/) ?? []
  const project = projects.get(id)
  if (!project) return response.writeHead(404).end()
  request.url = rest
  return project(request, response)
})

server.listen(0, '127.0.0.1', async () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const address = `http://127.0.0.1:${port}`
  await fetch(`${address}/demo-protegido/emulator/v1/projects/demo-protegido/config`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    body: JSON.stringify({ emailPrivacyConfig: { enableImprovedEmailPrivacy: true } }),
  })
  console.log(address)
})
