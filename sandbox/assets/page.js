// The clock's buttons on the front page, 'Copiar linha digitável' on the voucher, 'Imprimir' on the receipt.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = 'Linha copiada'
    } catch {
      button.textContent = 'Selecione a linha no boleto'
    }
  })
}

for (const button of document.querySelectorAll('[data-print]')) button.addEventListener('click', () => print())

const walked = document.getElementById('walked')
const buttons = [...document.querySelectorAll('[data-advance]')]
for (const button of buttons) {
  button.addEventListener('click', async () => {
    for (const other of buttons) other.disabled = true
    walked.textContent = 'O relógio está andando...'
    const answer = await fetch('/clock', {
      method: 'POST',
      body: JSON.stringify({
        advance_seconds: Number(button.dataset.advance),
        keep_sessions: document.getElementById('keep').checked,
      }),
    })
    const body = await answer.json()
    if (answer.ok) location.reload()
    else walked.textContent = body.error.message
    for (const other of buttons) other.disabled = false
  })
}
