import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The time that each test file takes, so that the longest start first. `npm run test:times` writes the times of the
 * last run to `test-times.json`.
 */
type Times = Readonly<Record<string, number>>

interface Report {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(root, 'scripts/test-times.json')

/** Reads the milliseconds by path from the root of the project, with slashes. */
function readTimes(): Times {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Times) : {}
}

function nameOf(path: string): string {
  return relative(root, path).split(sep).join('/')
}

/** Sorts items with the longest file first. A file that was never measured comes before all others. */
export function longestFirst<Item>(
  items: readonly Item[],
  pathOf: (item: Item) => string,
  times: Times = readTimes(),
): Item[] {
  const timed = items.map((item) => {
    const name = nameOf(pathOf(item))
    return { item, name, time: times[name] ?? Number.MAX_VALUE }
  })
  return timed.sort((a, b) => b.time - a.time || (a.name < b.name ? -1 : 1)).map(({ item }) => item)
}

/**
 * Puts items of one group behind each other, in the order of their first. A process of tests goes on with the next file only
 * if that is of the same project, and a new one loads everything again.
 */
export function together<Item>(items: readonly Item[], groupOf: (item: Item) => string): Item[] {
  return [...Map.groupBy(items, groupOf).values()].flat()
}

/** Merges the times of the reports into earlier ones. Deleted files are left out. */
export function withReports(times: Times, reports: readonly Report[], exists: (name: string) => boolean): Times {
  const measured = reports.flatMap(({ testResults }) =>
    testResults.map(({ name, startTime, endTime }) => [nameOf(name), Math.round(endTime - startTime)] as const),
  )
  const all = Object.entries({ ...times, ...Object.fromEntries(measured) }).filter(([name]) => exists(name))
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const reports = ['unit.json', 'engine.json', 'components.json']
    .map((name) => join(root, 'test-results', name))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Report)
  const times = withReports(readTimes(), reports, (name) => existsSync(join(root, name)))
  writeFileSync(file, `${JSON.stringify(times, null, 2)}\n`)
  process.stdout.write(`${Object.keys(times).length} times are in scripts/test-times.json\n`)
}
