/**
 * The product's time. Countdowns and trials follow the server, never the visitor's clock:
 * every answer that carries a server time corrects the offset.
 */
let offsetMs: number | null = null

/** Takes the time of a server's answer that has just arrived, if it has one. */
export function followServerTime(serverTime: Date | null): void {
  if (serverTime) offsetMs = serverTime.getTime() - Date.now()
}

/** The same for a response from a cache: a fresh one replaces it. */
export function suggestServerTime(serverTime: Date): void {
  if (offsetMs === null) followServerTime(serverTime)
}

/** The server's now, to the precision of one answer's travel. */
export function serverNow(): Date {
  return new Date(Date.now() + (offsetMs ?? 0))
}
