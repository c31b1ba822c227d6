/** Dates as people in Brazil read them: São Paulo time, whatever the device's zone. */
const SAO_PAULO = 'America/Sao_Paulo'

const short = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SAO_PAULO,
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
})
const long = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SAO_PAULO,
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})
const isoDay = new Intl.DateTimeFormat('en-CA', {
  timeZone: SAO_PAULO,
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
})

/** '26/11/2026'. */
export function formatDate(date: Date): string {
  return short.format(date)
}

/** '26 de novembro de 2026'. */
export function formatLongDate(date: Date): string {
  return long.format(date)
}

/** A date from the Unix seconds of the user record (spec section 3), null when there is none. */
export function dateFromUnixSeconds(seconds: number | bigint | null | undefined): Date | null {
  return seconds === null || seconds === undefined ? null : new Date(Number(seconds) * 1000)
}

/** 23:59:59 of the São Paulo day in which `now` falls. Brazil has had no summer time since 2019: always UTC-3. */
export function endOfDayInSaoPaulo(now: Date): Date {
  return new Date(`${isoDay.format(now)}T23:59:59-03:00`)
}

const moment = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SAO_PAULO,
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** '26/11/2026 às 14:30'. */
export function formatMoment(date: Date): string {
  return moment.format(date).replace(/,\s*/, ' às ')
}

/** A protobuf Timestamp as a Date, null when there is none. */
export function toDate(timestamp: { seconds: bigint; nanos: number } | null | undefined): Date | null {
  return timestamp ? new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1e6)) : null
}
