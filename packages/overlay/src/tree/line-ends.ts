/**
 * Readers show each line end as a plain line feed, so who writes a text cannot know which one a line has. A carriage
 * return counts as a line end only before a line feed, or in a text without line feeds.
 */

/** Every line end as a line feed. */
export function plainLineEnds(text: string): string {
  if (!text.includes('\r')) return text
  return text.includes('\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\r', '\n')
}

/** A text as it takes the place of what is in another one from `start` to `end`, which is excluded. */
export type FitLineEnds = (start: number, end: number, fresh: string) => string

/**
 * Fits texts into this one: unchanged lines keep their ends, and new ones get those of what they replace, else of the
 * line before, else of the line behind. A text without line ends takes them as given.
 */
export function fitLineEnds(text: string): FitLineEnds {
  const crlf = text.includes('\r\n')
  const lf = /(^|[^\r])\n/.test(text)
  if (crlf && lf) return (start, end, fresh) => (fresh.includes('\n') ? fitMixed(text, start, end, fresh) : fresh)
  const only = crlf ? '\r\n' : lf ? '\n' : text.includes('\r') ? '\r' : undefined
  return only === undefined ? (_start, _end, fresh) => fresh : (_start, _end, fresh) => fresh.replace(/\r?\n/g, only)
}

interface Line {
  readonly content: string
  /** Empty for a last line without one. */
  readonly end: string
}

function fitMixed(text: string, start: number, end: number, fresh: string): string {
  const lines = linesOf(fresh)
  const places = placesOf(withEndBehind(linesOf(text.slice(start, end)), text, end), lines)
  let last = endBefore(text, start) ?? places.find((line) => line !== undefined)?.end ?? '\n'
  return lines
    .map(({ content, end: given }, index) => {
      last = places[index]?.end || last
      return given === '' ? content : content + last
    })
    .join('')
}

function linesOf(text: string): readonly Line[] {
  const lines = text.split('\n')
  return lines.map((line, index) => {
    if (index === lines.length - 1) return { content: line, end: '' }
    return line.endsWith('\r') ? { content: line.slice(0, -1), end: '\r\n' } : { content: line, end: '\n' }
  })
}

/** The end of the line before; undefined in the first line. */
function endBefore(text: string, start: number): string | undefined {
  const at = start === 0 ? -1 : text.lastIndexOf('\n', start - 1)
  return at < 0 ? undefined : endAt(text, at)
}

function endAt(text: string, lineFeed: number): string {
  return text[lineFeed - 1] === '\r' ? '\r\n' : '\n'
}

/** The last of the lines may go on behind them, so it has the end that is there. */
function withEndBehind(lines: readonly Line[], text: string, end: number): readonly Line[] {
  const at = text.indexOf('\n', end)
  const behind = at < 0 ? '' : endAt(text, at)
  return lines.map((line, index) => (index === lines.length - 1 ? { ...line, end: behind } : line))
}

/**
 * For each fresh line the old line in whose place it stands: the same line where there is one, else the next one between
 * two of these. Undefined for a line that was added.
 */
function placesOf(old: readonly Line[], fresh: readonly Line[]): readonly (Line | undefined)[] {
  const same = sameLines(old, fresh)
  let next = old.length
  const limits = same.map(() => 0)
  for (let index = same.length - 1; index >= 0; index -= 1) {
    limits[index] = next
    next = same[index] ?? next
  }
  let at = 0
  return same.map((place, index) => {
    const found = place ?? (at < (limits[index] ?? 0) ? at : undefined)
    at = found === undefined ? at : found + 1
    return found === undefined ? undefined : old[found]
  })
}

/**
 * For each fresh line, its position among the old ones, in rising order; undefined for a new line. Equal lines at the start
 * and the end are matched first.
 */
function sameLines(old: readonly Line[], fresh: readonly Line[]): readonly (number | undefined)[] {
  const most = Math.min(old.length, fresh.length)
  const isSame = (one: number, other: number) => old.at(one)?.content === fresh.at(other)?.content
  let before = 0
  while (before < most && isSame(before, before)) before += 1
  let behind = 0
  while (before + behind < most && isSame(-1 - behind, -1 - behind)) behind += 1
  const left = new Map<string, number[]>()
  for (let place = old.length - behind - 1; place >= before; place -= 1) {
    const content = old[place]?.content ?? ''
    const places = left.get(content)
    if (places) places.push(place)
    else left.set(content, [place])
  }
  let at = before
  return fresh.map(({ content }, index) => {
    if (index < before) return index
    if (index >= fresh.length - behind) return old.length - fresh.length + index
    const places = left.get(content) ?? []
    let place = places.pop()
    while (place !== undefined && place < at) place = places.pop()
    at = place === undefined ? at : place + 1
    return place
  })
}
