import { useEffect } from 'react'

/**
 * Removes the notices for late scripts and the title of the wait (site/entry-server.tsx).
 */
export function removeLateParts(): void {
  for (const late of document.querySelectorAll('[class^="late"]')) late.remove()
}

/**
 * Puts the icons and the manifest of a prerendered page in the place of an empty icon. They are
 * in a noscript element, because each would delay the first paint by a connection. Without scripts
 * the browser reads them there.
 */
export function addIcons(): void {
  const icons = document.getElementById('icons')?.textContent ?? ''
  if (icons) document.querySelector('link[rel=icon]')?.remove()
  for (const [, attributes = ''] of icons.matchAll(/<link ([^>]+)>/g)) {
    const link = document.createElement('link')
    for (const [, name = '', value = ''] of attributes.matchAll(/(\w+)="([^"]*)"/g))
      link.setAttribute(name, value)
    document.head.append(link)
  }
}

/** Marks a prerendered page as hydrated (scripts/starter.js). */
export function Ready() {
  useEffect(() => {
    delete document.getElementById('root')?.dataset.static
    removeLateParts()
    dispatchEvent(new Event('ready'))
  }, [])
  return null
}
