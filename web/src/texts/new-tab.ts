/** Behind the text of a link, for who cannot see where it opens. */
export const newTab = '(em nova aba)'
