/**
 * Puts the icons and the manifest of a prerendered page in the place of an empty icon. They stand
 * in a noscript element, because each would delay the first paint by a connection. Without scripts
 * they count as they stand there.
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
