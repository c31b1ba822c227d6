/** The commonest domains of email addresses in Brazil. */
const COMMON = [
  'gmail.com',
  'hotmail.com',
  'outlook.com',
  'yahoo.com.br',
  'yahoo.com',
  'icloud.com',
  'live.com',
  'uol.com.br',
  'bol.com.br',
  'terra.com.br',
  'globo.com',
  'msn.com',
]
/** Domains of others that are near one of those. */
const OTHERS = [
  'hotmail.com.br',
  'outlook.com.br',
  'live.com.br',
  'ymail.com',
  'email.com',
  'mail.com',
  'gmx.com',
]

/** The address that somebody may have meant; null if its domain is like no common one. */
export function meantEmail(email: string): string | null {
  const [, name, domain] = /^\s*([^\s@]+)@([^\s@]+)\s*$/.exec(email.toLowerCase()) ?? []
  if (!name || !domain || COMMON.includes(domain) || OTHERS.includes(domain)) return null
  const meant = COMMON.find((common) => domain === `${common}.br`) ?? nearest(domain)
  return meant ? `${name}@${meant}` : null
}

function nearest(domain: string): string | undefined {
  return COMMON.map((common) => ({ common, edits: editsBetween(domain, common) }))
    .filter(({ common, edits }) => edits <= maxEdits(common))
    .sort((one, other) => one.edits - other.edits)[0]?.common
}

/** Two edits of a short name, as 'uol', make another one. */
const maxEdits = (domain: string) => (domain.indexOf('.') < 5 ? 1 : 2)

/** Letters to insert, delete or replace (Levenshtein distance). */
function editsBetween(from: string, to: string): number {
  let row = [...to, ''].map((_, index) => index)
  for (const [done, letter] of [...from].entries()) {
    const next = [done + 1]
    for (const [index, other] of [...to].entries())
      next.push(
        Math.min(
          (row[index + 1] ?? 0) + 1,
          (next[index] ?? 0) + 1,
          (row[index] ?? 0) + (letter === other ? 0 : 1),
        ),
      )
    row = next
  }
  return row[to.length] ?? 0
}
