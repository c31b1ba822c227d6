/** Over the cards of a plans page, for the choice that opening it cleared. */
export const clearedChoice = {
  chosen: (plan: string) => `Você tinha escolhido o ${plan}.`,
  resume: 'Continuar com ele',
} as const
