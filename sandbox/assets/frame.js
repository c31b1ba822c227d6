// The frame's own script: tabs, masks, the two forms, and word to the page around.
const pay = document.querySelector('.pay')
// A page of its own has no site around it, and goes on by itself.
const say = (message) => {
  if (window.parent !== window) window.parent.postMessage(message, '*')
  else if (message.type === 'redirect') window.location.assign(message.url)
}
const byId = (id) => document.getElementById(id)

const tellHeight = () => say({ type: 'resize', height: Math.ceil(document.documentElement.getBoundingClientRect().height) })
new ResizeObserver(tellHeight).observe(document.documentElement)
tellHeight()
say({ type: 'ready' })

const tabs = [...document.querySelectorAll('[role=tab]')]
function choose(tab) {
  for (const other of tabs) {
    const chosen = other === tab
    other.setAttribute('aria-selected', String(chosen))
    other.tabIndex = chosen ? 0 : -1
    byId(other.getAttribute('aria-controls')).hidden = !chosen
  }
}
for (const tab of tabs) {
  tab.addEventListener('click', () => choose(tab))
  tab.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]
    choose(next)
    next.focus()
  })
}
if (tabs.length) choose(tabs.find((tab) => tab.getAttribute('aria-selected') === 'true') ?? tabs[0])

const digits = (text, most) => text.replace(/\D/g, '').slice(0, most)
const masks = {
  number: (text) => digits(text, 19).replace(/(.{4})(?=.)/g, '$1 '),
  expiry: (text) => {
    const parts = text.split('/')
    if (parts.length === 2 && digits(parts[1], 4).length === 4) {
      return `${digits(parts[0], 2).padStart(2, '0')} / ${digits(parts[1], 4).slice(2)}`
    }
    const all = digits(text, 4)
    return all.length > 2 ? `${all.slice(0, 2)} / ${all.slice(2)}` : all
  },
  cvc: (text) => digits(text, 4),
  postal_code: (text) => digits(text, 8).replace(/^(.{5})(.)/, '$1-$2'),
  tax_id: (text) => {
    if (/[a-z]/i.test(text)) return text.toUpperCase()
    const all = digits(text, 14)
    if (all.length > 11) return all.replace(/^(..)(...)(...)(....)(.*)$/, '$1.$2.$3/$4-$5').replace(/-$/, '')
    return all.replace(/^(...)(.)/, '$1.$2').replace(/^(...\....)(.)/, '$1.$2').replace(/^(...\....\....)(.)/, '$1-$2')
  },
}
document.addEventListener('input', (event) => {
  const mask = masks[event.target.name]
  if (mask && event.inputType !== 'deleteContentBackward') event.target.value = mask(event.target.value)
  showError(event.target, '')
})

function showError(field, text) {
  const place = byId(`${field.id}-error`)
  if (place) place.textContent = text
  if (text) field.setAttribute('aria-invalid', 'true')
  else field.removeAttribute('aria-invalid')
}

function showAlert(form, text) {
  const alert = form.querySelector('[data-alert]')
  alert.textContent = text
  alert.hidden = !text
}

const fieldOfCode = {
  incorrect_number: 'number',
  invalid_expiry: 'expiry',
  invalid_expiry_past: 'expiry',
  expired_card: 'expiry',
  invalid_cvc: 'cvc',
  incorrect_cvc: 'cvc',
  name_missing: 'name',
}

function refuse(form, error) {
  const name = fieldOfCode[error.code] ?? error.param
  const field = name && form.elements.namedItem(name)
  if (field) {
    showError(field, error.message)
    field.focus()
  } else {
    showAlert(form, error.message)
  }
}

async function send(form, kind, more = {}) {
  showAlert(form, '')
  const button = form.querySelector('[type=submit]')
  const text = button.textContent
  button.disabled = true
  button.textContent = button.dataset.busy
  say({ type: 'submitted' })
  try {
    const answer = await fetch(`${location.pathname}/${kind}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object.fromEntries(new FormData(form)), ...more }),
    })
    const body = await answer.json()
    if (!body.error) return body
    refuse(form, body.error)
  } catch {
    showAlert(form, 'Não foi possível falar com o servidor de pagamento. Tente de novo.')
  } finally {
    button.disabled = false
    button.textContent = text
  }
  return null
}

function swap(hide, show) {
  hide.hidden = true
  show.hidden = false
  show.focus()
}

const cardForm = byId('card-form')
const challenge = byId('challenge')

function complete() {
  document.querySelector('.tabs').hidden = true
  swap(cardForm, byId('done'))
  challenge.hidden = true
  const { redirect, returnUrl } = pay.dataset
  say(redirect === 'always' ? { type: 'redirect', url: returnUrl } : { type: 'complete' })
}

async function payByCard(more) {
  const answer = await send(cardForm, 'card', more)
  if (answer?.status === 'complete') complete()
  if (answer?.status === 'requires_action') swap(cardForm, challenge)
}

cardForm?.addEventListener('submit', (event) => {
  event.preventDefault()
  payByCard({})
})
for (const button of document.querySelectorAll('[data-challenge]')) {
  button.addEventListener('click', () => {
    swap(challenge, cardForm)
    payByCard({ challenge: button.dataset.challenge })
  })
}

const boletoForm = byId('boleto-form')
boletoForm?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const answer = await send(boletoForm, 'boleto')
  // A boleto takes the whole tab to its voucher: no page of the site runs after it.
  if (answer?.voucher_url) say({ type: 'redirect', url: answer.voucher_url })
})
