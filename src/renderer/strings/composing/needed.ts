import { formatDuration } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

const hunks = (count: number): string => plural(count, 'hunk', 'hunks')

/** Words about the search for what a check needs of a change. */
export const neededStrings = {
  title: 'What is needed?',
  start: 'What is needed?',
  startHint:
    'Finds the smallest part of the change with which this check stays green. Often takes about as many runs as there are hunks, at worst far more. What it said before is not run again.',
  again: 'Search again',
  goOn: 'Go on',
  cancel: 'Stop searching',
  begins: 'Runs the check on the whole change',
  progress: (left: number, of: number, runs: number, milliseconds: number) =>
    `${left} of ${hunks(of)} left · ${plural(runs, 'run', 'runs')}, ${formatDuration(milliseconds)}`,
  bar: 'Hunks that are left',
  all: (of: number) => (of === 1 ? 'The one hunk is needed.' : `All ${of} hunks are needed.`),
  found: (unneeded: number, of: number, check: string) =>
    `${check} stays green without ${unneeded} of ${hunks(of)}. Each of the others is needed.`,
  cost: (runs: number, milliseconds: number) => `${plural(runs, 'run', 'runs')}, ${formatDuration(milliseconds)}`,
  list: 'Hunks that are not needed',
  place: (path: string, hunk: number | null) => (hunk === null ? path : `${path}, hunk ${hunk + 1}`),
  wholeFile: 'The whole file',
  onlyRemoved: 'Only removes lines',
  more: (count: number) => `and ${hunks(count)} more`,
  remove: (count: number) => `Remove ${hunks(count)}`,
  removed: (count: number) => `Removed ${hunks(count)}`,
  changed: 'The branch has changed since. Search again to remove them; what is known is not run again.',
  cancelled: 'Stopped. What the check said so far is kept.',
} as const
