/**
 * The part of a starter (starter.js) that only a frame of the app has. It tells the styles which
 * values the browser keeps, so that nothing is painted that is not true for its visitor
 * (src/styles/base.css). And it holds what is sent before the page listens: the press is repeated
 * then, as that of any other button, and no password leaves by the browser's own way. The button is
 * built as disabled, for the time until this runs.
 */
const isKept = (key) => {
  try {
    return sessionStorage.getItem(key) || localStorage.getItem(key)
  } catch {
    return false
  }
}
document.documentElement.dataset.kept = ['uid', 'selectedPlan', 'promoCode'].filter(isKept).join(' ')
const hold = (event) => event.preventDefault()
addEventListener('submit', hold, true)
addEventListener('ready', () => removeEventListener('submit', hold, true), { once: true })
addEventListener('DOMContentLoaded', () => {
  for (const button of document.querySelectorAll('[type=submit]')) button.disabled = false
})
