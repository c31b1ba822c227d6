// The sandbox's stand-in for Meta's pixel: it sends what the real one would, to the sandbox alone, and sets its cookie.
(() => {
  const ORIGIN = new URL(document.currentScript.src).origin
  const fbq = window.fbq
  let pixel = ''
  let allowed = true

  const call = (what, name, data, options) => {
    if (what === 'consent') allowed = name === 'grant'
    if (what === 'init') pixel = name
    if (!allowed || !/^track/.test(what)) return
    const sent = { platform: 'meta', id: pixel, call: what, name, event_id: options?.eventID ?? '', data: JSON.stringify(data ?? {}) }
    new Image().src = `${ORIGIN}/pixel/tr?${new URLSearchParams(sent)}`
  }

  if (!document.cookie.includes('_fbp=')) {
    const id = `fb.1.${Date.now()}.${Math.floor(Math.random() * 1e10)}`
    document.cookie = `_fbp=${id}; path=/; max-age=7776000; samesite=lax`
  }
  fbq.callMethod = call
  for (const args of fbq.queue.splice(0)) call(...args)
})()
