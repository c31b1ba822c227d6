// The bank's question about a payment: the answer goes to the sandbox, and its result to the page around.
const say = (message) => window.parent.postMessage(message, '*')
const buttons = [...document.querySelectorAll('[data-challenge]')]
document.getElementById('challenge')?.focus()

async function answer(challenge) {
  for (const button of buttons) button.disabled = true
  const method = new URLSearchParams(location.search).get('payment_method')
  try {
    const reply = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ challenge, payment_method: method }),
    })
    say({ type: 'authenticated', result: await reply.json() })
  } catch {
    say({ type: 'authenticated', result: { error: { type: 'api_connection_error' } } })
  }
}

for (const button of buttons) button.addEventListener('click', () => answer(button.dataset.challenge))
// Nothing can be asked any more: the sandbox says why.
if (!buttons.length) void answer('authorize')
