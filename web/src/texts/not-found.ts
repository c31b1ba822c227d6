export const notFound = {
  mark: '404',
  title: 'Oops! Page not found',
  text: 'Nada passou na peneira por aqui. O endereço pode ter mudado ou sido digitado errado.',
  home: 'Voltar para a página inicial',
  plans: 'Ver planos',
  logged: 'No route answers',
} as const
