// The sandbox's stand-in for Turnstile: a challenge that a tick solves. /captcha/siteverify accepts
// its responses.
(() => {
  const shown = new Map()

  const render = (place, { callback }) => {
    const label = document.createElement('label')
    const box = document.createElement('input')
    box.type = 'checkbox'
    label.append(box, ' Não sou um robô (ambiente de testes)')
    box.addEventListener('change', () => {
      box.disabled = true
      callback(`pass-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`)
    })
    place.append(label)
    const id = `challenge-${shown.size + 1}`
    shown.set(id, label)
    return id
  }

  window.turnstile = { render, remove: (id) => shown.get(id)?.remove() }
})()
