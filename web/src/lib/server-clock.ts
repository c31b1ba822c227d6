/**
 * The product's time. Countdowns and trials follow the server, never the visitor's clock:
 * every answer that carries a server time corrects the offset.
 */
let offsetMs = 0

/** Takes the time of a server's answer that has just arrived, if it has one. */
export function followServerTime(serverTime: Date | null): void {
  if (serverTime) offsetMs = serverTime.getTime() - Date.now()
}

/** The server's now, to the precision of one answer's travel. */
export function serverNow(): Date {
  return new Date(Date.now() + offsetMs)
}
