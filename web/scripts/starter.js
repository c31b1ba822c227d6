/**
 * The one script that a prerendered page names: it calls the others (`data-scripts` of the root, the entry first) once
 * the page has been painted, so that text and font have a slow line to themselves. A page that is never painted, and a
 * browser that does not tell, start a little later. A button that is pressed before the page listens is pressed again
 * when it answers (`data-scripts` goes then, and 'ready' comes); from 'listening' on React hears it itself.
 */
const [entry, ...others] = document.getElementById('root').dataset.scripts.split(' ')
/** The page's icons and manifest, in the place of an empty one; without scripts they count as they stand there. */
const addIcons = () => {
  document.querySelector('link[rel=icon]').remove()
  for (const [, attributes] of document.getElementById('icons').textContent.matchAll(/<link ([^>]+)>/g)) {
    const link = document.createElement('link')
    for (const [, name, value] of attributes.matchAll(/(\w+)="([^"]*)"/g)) link.setAttribute(name, value)
    document.head.append(link)
  }
}
let called = false
const call = () => {
  if (called) return
  called = true
  for (const href of others)
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
  import(entry)
  addIcons()
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
addEventListener('ready', () => pressed?.click(), { once: true })
