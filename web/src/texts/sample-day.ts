import { product } from './products'

const post = (time: string, name: string, of: Parameters<typeof product>[0]) => ({
  ...product(of),
  time,
  name,
})

/** A day of a sample group: twelve posts, in the order of their hours. */
export const sampleDay = {
  title: 'Um dia inteiro de um grupo',
  badge: 'Exemplo',
  lead: 'Achados da Ana, da madrugada à noite: cada post sai sozinho, no horário da fila.',
  note: 'Grupo, produtos e preços são um exemplo.',
  /** The first three and the last one are sent at night. */
  posts: [
    post('00:40', 'Cafeteira', 'cafeteira'),
    post('03:12', 'Fritadeira', 'fritadeira'),
    post('05:30', 'Garrafa', 'garrafa'),
    post('07:15', 'Mochila', 'mochila'),
    post('09:00', 'Toalhas', 'toalhas'),
    post('10:50', 'Secador', 'secador'),
    post('12:40', 'Tênis', 'tenis'),
    post('14:20', 'Luminária', 'luminaria'),
    post('16:10', 'Sérum', 'serum'),
    post('19:05', 'Fone', 'fone'),
    post('20:30', 'Panela', 'panela'),
    post('22:50', 'Relógio', 'relogio'),
  ],
} as const
