/** After the text of a link, for screen readers. */
export const newTab = '(em nova aba)'
