/**
 * The typeable line of a bank slip as it is printed: '23793.38128 60000.000003 00000.000400 1
 * 84340000012345'.
 */
export function formatBoletoLine(line: string): string {
  const digits = line.replace(/\D/g, '')
  if (digits.length !== 47) return line
  const parts = /^(\d{5})(\d{5})(\d{5})(\d{6})(\d{5})(\d{6})(\d)(\d{14})$/.exec(digits)?.slice(1) ?? []
  const [a, b, c, d, e, f, check, rest] = parts
  return `${a}.${b} ${c}.${d} ${e}.${f} ${check} ${rest}`
}
