/** The queues over a day, from midnight to midnight: each lane is a group with its interval. */
export const night = {
  title: 'Enquanto você dorme, a fila anda',
  lead: 'De manhã os posts já saíram.',
  note: 'O intervalo de cada fila é você quem define. Comece devagar: o WhatsApp pode limitar um número que envia demais.',
  lanes: [
    { group: 'Achados da Casa', every: 'a cada 1\u00a0h' },
    { group: 'Ofertas de Beleza', every: 'a cada 2\u00a0h' },
    { group: 'Canal no Telegram', every: 'a cada 3\u00a0h' },
  ],
  hours: ['0h', '6h', '12h', '18h', '24h'],
} as const
