// `npm run check:structure`: figures about the layout of the code, and the limits that it must keep. Fails for a
// wrong import direction, an import circle, a file above 500 lines, a folder above 20 files, a writer of the journal
// outside core, a look for a thread among the loaded ones, a view of a branch that is opened outside core/trial, a file
// that is read without bounds, and an export that only tests use or nothing.
import { fileURLToPath } from 'node:url'
import { findWrongImports, shownPath } from './structure/check-rooms.mjs'
import {
  countByFolder,
  countDocumentedMembers,
  countJournalWriters,
  countMembers,
  findBoundlessReaders,
  findCircles,
  findFragments,
  findLongestFunction,
  findLookUps,
  findParticiples,
  findTrialDoors,
  findUnusedExports,
  measureLines,
  testRatio,
} from './structure/measures.mjs'
import { readModules, readOtherTexts } from './structure/sources.mjs'

const maxLines = 500
const maxFiles = 20

/** One sentence for each broken limit. `others` are the texts of files outside `src` and the packages, which may use exports. */
export function findProblems(modules, others = readOtherTexts()) {
  const production = modules.filter(({ isTest }) => !isTest)
  if (production.length === 0) return ['No file was checked.']
  const writers = countJournalWriters(production)
  return [
    ...findWrongImports(modules),
    ...findCircles(production).map((circle) => `These files import each other: ${circle.join(', ')}`),
    ...modules
      .filter(({ lines }) => lines > maxLines)
      .map(({ path, lines }) => `${shownPath(path)}: ${lines} lines, more than ${maxLines}`),
    ...countByFolder(production)
      .filter(({ files }) => files > maxFiles)
      .map(({ folder, files }) => `${shownPath(folder)}: ${files} files, more than ${maxFiles}`),
    ...findUnusedExports(modules, others).map(
      ({ path, name }) => `${shownPath(path)}: only tests use its export ${name}, or nothing does`,
    ),
    ...findLookUps(production).map(
      (path) =>
        `${shownPath(path)}: looks for a thread in the loaded state; ask core/journal/read-thread.ts, which loads it`,
    ),
    ...(writers.outside > 0 ? [`${writers.outside} files outside core write the journal`] : []),
    ...findBoundlessReaders(production).map(
      (path) => `${shownPath(path)}: reads a file whole, whatever it is; use adapters/system/read-bounded.ts`,
    ),
    ...findTrialDoors(production).outside.map(
      (path) => `${shownPath(path)}: only core/trial opens views of branches and searches for hidden files`,
    ),
  ]
}

function printFigures(modules) {
  const production = modules.filter(({ isTest }) => !isTest)
  const { files, median, p90, max, longest } = measureLines(production)
  const fragments = findFragments(production)
  const fullest = countByFolder(production).slice(0, 3)
  const doors = findTrialDoors(production)
  const longestFunction = findLongestFunction(production)
  const documented = countDocumentedMembers(production, ['main/core', 'shared/contract'])
  const rows = [
    ['lines of a file, median / p90 / max', `${median} / ${p90} / ${max} (${longest})`],
    [
      'files of 60 lines or fewer with one importer beside them',
      `${fragments.length} of ${files} = ${percent(fragments.length, files)}`,
    ],
    ['files in the fullest folders', fullest.map(({ folder, files }) => `${files} ${folder}`).join(', ')],
    [
      'files that write the journal, outside core / in core',
      `${countJournalWriters(production).outside} / ${countJournalWriters(production).core}`,
    ],
    ['callers of mounts / of the hidden-files guard', `${doors.mounts.length} / ${doors.guard.length}`],
    [
      'fields of ThreadState / members of LoopContext',
      `${countMembers(production, 'shared/model/thread.ts', 'ThreadState')} / ${countMembers(production, 'main/core/agent/types/loop-context.ts', 'LoopContext')}`,
    ],
    ['lines of the longest function', `${longestFunction.lines} (${longestFunction.name} in ${longestFunction.path})`],
    [
      'lines of tests for a line of source, core with its package / core/agent',
      `${testRatio(modules, ['main/core', 'packages']).toFixed(2)} / ${testRatio(modules, ['main/core/agent']).toFixed(2)}`,
    ],
    [
      'exported interface members with a contract, core and wire contract',
      `${documented.documented} of ${documented.all} = ${percent(documented.documented, documented.all)}`,
    ],
    ['functions named by a past participle', String(findParticiples(production).length)],
    ['import circles', String(findCircles(production).length)],
  ]
  for (const [name, figure] of rows) process.stdout.write(`${name.padEnd(68)} ${figure}\n`)
}

function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const modules = readModules(process.argv[2])
  const problems = findProblems(modules)
  if (modules.length > 0) printFigures(modules)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  process.stdout.write(`Structure: ${modules.length} files, ${problems.length} problems\n`)
  process.exit(problems.length > 0 ? 1 : 0)
}
