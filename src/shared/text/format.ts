/** Made when it is first needed: a formatter takes milliseconds to make, and the page needs few of them at its start. */
function lazily<Formatter>(make: () => Formatter): () => Formatter {
  let made: Formatter | undefined
  return () => {
    made ??= make()
    return made
  }
}

const dates = (options: Intl.DateTimeFormatOptions) => lazily(() => new Intl.DateTimeFormat(undefined, options))
const numbers = (options: Intl.NumberFormatOptions) => lazily(() => new Intl.NumberFormat(undefined, options))
const dollars = { style: 'currency', currency: 'USD', maximumFractionDigits: 2 } as const

const clock = dates({ hour: '2-digit', minute: '2-digit' })
const clockWithSeconds = dates({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = dates({ dateStyle: 'medium', timeStyle: 'short' })
const shortDay = dates({ month: 'short', day: 'numeric' })
const money = numbers({ ...dollars, minimumFractionDigits: 2 })
const price = numbers({ ...dollars, minimumFractionDigits: 0 })
const separated = numbers({})
const compact = numbers({ notation: 'compact', maximumFractionDigits: 1 })
const percent = numbers({ style: 'percent' })
const seconds = numbers({ maximumFractionDigits: 1 })

/** The time of day. */
export function formatTime(at: number): string {
  return clock().format(at)
}

/** The time of day with its seconds. */
export function formatClock(at: number): string {
  return clockWithSeconds().format(at)
}

/** Day and time. */
export function formatDate(at: number): string {
  return day().format(at)
}

/** A day without its year: `Nov 22`. */
export function formatDay(at: number): string {
  return shortDay().format(at)
}

/** An amount in US dollars. An amount below a cent is shown as such; null is an unknown cost. */
export function formatMoney(amount: number | null): string {
  if (amount === null) return 'cost unknown'
  return amount > 0 && amount < 0.01 ? `< ${money().format(0.01)}` : money().format(amount)
}

/** A list price in US dollars, without needless zeros: `$2`, `$0.5`. */
export function formatPrice(amount: number): string {
  return price().format(amount)
}

/** A share from 0 to 1, in percent. */
export function formatPercent(share: number): string {
  return percent().format(share)
}

/** A number with separators: `20,002`. */
export function formatNumber(count: number): string {
  return separated().format(count)
}

/** A number in short form: `1.2K`. */
export function formatCount(count: number): string {
  return compact().format(count)
}

/** A finished duration: `12 ms`, `1.4 s`, `12 s`, `1 m 02 s`, `1 h 05 m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1) return '< 1 ms'
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 10_000) return `${seconds().format(milliseconds / 1000)} s`
  const whole = Math.round(milliseconds / 1000)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} m ${String(whole % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`
}

/** The time that something has taken so far: `0:12`, `1:02:05`. */
export function formatElapsed(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000)
  const minutes = Math.floor(whole / 60)
  const twoDigits = (value: number): string => String(value).padStart(2, '0')
  if (minutes < 60) return `${minutes}:${twoDigits(whole % 60)}`
  return `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${twoDigits(whole % 60)}`
}

const minute = 60_000

/** How long ago something was, in one short word: `now`, `5 min`, `3 h`, `2 d`; older things have their day. */
export function formatAgo(at: number, now: number): string {
  const minutes = Math.floor((now - at) / minute)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`
  return minutes < 7 * 24 * 60 ? `${Math.floor(minutes / (24 * 60))} d` : shortDay().format(at)
}

/** A size in B, KB or MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const kilobytes = bytes / 1024
  return kilobytes < 1024 ? `${seconds().format(kilobytes)} KB` : `${seconds().format(kilobytes / 1024)} MB`
}

/** A combination such as `Mod+K`, in the notation of this machine. */
export function formatKeys(keys: string, mac: boolean): string {
  return mac
    ? keys.replaceAll('Mod', '⌘').replaceAll('Alt', '⌥').replaceAll('Shift', '⇧').replaceAll('+', ' ')
    : keys.replaceAll('Mod', 'Ctrl')
}
