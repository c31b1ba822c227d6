/** Where the browser refused to copy; what was to be copied is selected then. */
export const copyRefused = {
  title: 'O navegador não deixou copiar',
  description: 'O código já está selecionado: é só copiar.',
} as const
