interface TrustedTypes {
  trustedTypes?: {
    defaultPolicy: unknown
    createPolicy: (name: string, rules: { createScriptURL: (url: string) => string | null }) => unknown
  }
}

const page = globalThis as TrustedTypes

const loading = new Map<string, Promise<void>>()

/** Loads another site's script once. The next caller loads a script again that did not come. */
export function loadScript(address: string): Promise<void> {
  let script = loading.get(address)
  if (!script) {
    script = new Promise((done, failed) => {
      letScriptsIn()
      const element = document.createElement('script')
      element.async = true
      element.onload = () => done()
      element.onerror = () => {
        element.remove()
        loading.delete(address)
        failed(new Error(`${address} did not load`))
      }
      element.src = address
      document.head.append(element)
    })
    loading.set(address, script)
  }
  return script
}

/** Lets other sites' scripts pass trusted types: the page's policy names those that may load. */
function letScriptsIn(): void {
  const { trustedTypes } = page
  if (!trustedTypes || trustedTypes.defaultPolicy) return
  const isElsewhere = (url: string) => new URL(url, location.href).origin !== location.origin
  trustedTypes.createPolicy('default', { createScriptURL: (url) => (isElsewhere(url) ? url : null) })
}
