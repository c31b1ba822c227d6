// The sandbox's stand-in for Google's tag: it sends the conversions that the real one would, to the sandbox alone.
(() => {
  const script = new URL(document.currentScript.src)
  const layer = window.dataLayer
  let allowed = true

  const call = ([what, name, data]) => {
    if (what === 'consent') allowed = data.ad_storage === 'granted'
    if (!allowed || what !== 'event') return
    const sent = {
      platform: 'google',
      id: script.searchParams.get('id') ?? '',
      call: what,
      name,
      event_id: data?.transaction_id ?? '',
      data: JSON.stringify(data ?? {}),
    }
    new Image().src = `${script.origin}/pixel/tr?${new URLSearchParams(sent)}`
  }

  for (const args of layer) call(args)
  layer.push = (...all) => {
    for (const args of all) call(args)
    return Array.prototype.push.apply(layer, all)
  }
})()
