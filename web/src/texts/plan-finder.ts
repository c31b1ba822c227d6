/** 'Quantos grupos você tem em cada app?' on the plans page. */
export const planFinder = {
  question: 'Quantos grupos você tem em cada app?',
  choice: (more: number, upTo: number | null) => {
    if (upTo === null) return `Mais de ${more}`
    return more === 0 ? `Até ${upTo}` : `${more + 1} a ${upTo}`
  },
  answer: (plan: string, upTo: number | null) =>
    upTo === null
      ? `O ${plan} serve: grupos sem limite, no WhatsApp e no Telegram.`
      : `O ${plan} serve: até ${upTo} grupos no WhatsApp e ${upTo} no Telegram.`,
  choose: (plan: string) => `Escolher o ${plan}`,
  look: (plan: string) => `Ver o ${plan}`,
} as const
