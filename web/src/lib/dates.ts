/** Dates as people in Brazil read them: São Paulo time, whatever the device's zone. */
const SAO_PAULO = 'America/Sao_Paulo'

/**
 * Makes its formatter when it is first used: on a cheap phone each takes tens of milliseconds of
 * the page's start.
 */
function formatter(parts: Intl.DateTimeFormatOptions): (date: Date) => string {
  let made: Intl.DateTimeFormat | undefined
  return (date) => {
    made ??= new Intl.DateTimeFormat('pt-BR', { timeZone: SAO_PAULO, ...parts })
    return made.format(date)
  }
}

const digits = { day: '2-digit', month: '2-digit', year: 'numeric' } as const

/** '26/11/2026'. */
export const formatDate = formatter(digits)

/** '26/11', where the year is clear. */
export const formatDay = formatter({ day: '2-digit', month: '2-digit' })

/** The last day of something that ends at `end`: the day before one that begins then. */
export const lastDay = (end: Date): string => formatDate(new Date(end.getTime() - 1))

const moment = formatter({ ...digits, hour: '2-digit', minute: '2-digit' })

/** '26/11/2026 às 14:30'. */
export function formatMoment(date: Date): string {
  return moment(date).replace(/,\s*/, ' às ')
}

/** A date from the Unix seconds of the user record, null when there is none. */
export function dateFromUnixSeconds(seconds: number | bigint | null | undefined): Date | null {
  return seconds === null || seconds === undefined ? null : new Date(Number(seconds) * 1000)
}

/** 23:59:59 of the São Paulo day in which `now` falls. */
export function endOfDayInSaoPaulo(now: Date): Date {
  return new Date(`${isoInSaoPaulo(now).slice(0, 10)}T23:59:59-03:00`)
}

/** 23:59:59 in São Paulo of a day of this year: '30/11'. */
export function endOfDayOfYear(day: string, now: Date): Date {
  return new Date(`${[yearInSaoPaulo(now), ...day.split('/').reverse()].join('-')}T23:59:59-03:00`)
}

/** '2026'; without a formatter, since a page that begins shows it. */
export function yearInSaoPaulo(date: Date): string {
  return isoInSaoPaulo(date).slice(0, 4)
}

/** Brazil has had no summer time since 2019: always UTC-3. */
function isoInSaoPaulo(date: Date): string {
  return new Date(date.getTime() - 3 * 3_600_000).toISOString()
}

/** A protobuf Timestamp as a Date, null when there is none. */
export function toDate(timestamp: { seconds: bigint; nanos: number } | null | undefined): Date | null {
  return timestamp ? new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6)) : null
}

/** A Date as a protobuf Timestamp. */
export function toTimestamp(date: Date): { seconds: bigint; nanos: number } {
  const ms = date.getTime()
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: (((ms % 1000) + 1000) % 1000) * 1e6 }
}
