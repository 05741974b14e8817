/** The beginnings of the last days in the time zone of this machine, ascending; today is the last. */
export function lastDays(now: number, count: number): readonly number[] {
  const today = new Date(now)
  return Array.from({ length: count }, (_, place) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - place)).getTime(),
  )
}

/** A day of this machine's calendar as people sort it: `2026-11-22`. */
export function isoDay(at: number): string {
  const day = new Date(at)
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${String(day.getFullYear()).padStart(4, '0')}-${month}-${date}`
}

/** The beginning of a day written as `2026-11-22`, in the time zone of this machine. Null for anything else. */
export function parseIsoDay(text: string): number | null {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (!found) return null
  const day = new Date(Number(found[1]), Number(found[2]) - 1, Number(found[3])).getTime()
  return isoDay(day) === text ? day : null
}
