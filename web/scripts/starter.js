/**
 * The one inline script of a prerendered page: it loads the page's others, the entry first, once
 * the page has been painted, so that text and font have a slow line to themselves. A page that is
 * never painted, and a browser that does not report it, start a little later. A button that is
 * pressed before the page listens is pressed again when it answers (the root loses `data-static`
 * then, and 'ready' comes). From 'listening' on React hears it itself.
 */
// The build puts the page's own files here (vite/site/inline.ts).
const [entry, ...others] = ['SCRIPTS']
const inlined = ['STYLES']

const addLink = (attributes) => {
  const link = document.createElement('link')
  for (const [name, value] of Object.entries(attributes)) link.setAttribute(name, value)
  document.head.append(link)
}
let called = false
const call = () => {
  if (called) return
  called = true
  // A disabled link is never fetched. It tells Vite's loader that the page has these styles.
  for (const href of inlined) addLink({ rel: 'stylesheet', disabled: '', href })
  for (const href of others) addLink({ rel: 'modulepreload', href })
  import(entry)
}
try {
  new PerformanceObserver(call).observe({ type: 'paint', buffered: true })
} catch {}
setTimeout(call, 1500)

let pressed
const keep = ({ target }) => {
  pressed = target.closest('button')
}
addEventListener('click', keep, true)
addEventListener('listening', () => removeEventListener('click', keep, true), { once: true })
addEventListener(
  'ready',
  () => {
    // No `?.`: an older browser must read this file to be told that it is too old.
    if (pressed) pressed.click()
  },
  { once: true },
)
