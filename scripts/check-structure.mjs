// `npm run check:structure`: figures about the layout of the code, and the limits that it must keep. Fails for a
// wrong import direction, an import circle, a file above 500 lines, a folder above 20 files, a file with more than 30
// imports, a function above 80 lines, a writer of the journal outside core, a look for a thread among the loaded ones, a view
// of a branch that is opened outside core/trial, a file that is read without bounds, a request around the one door for
// requests, and an export that only tests use or nothing.
import { fileURLToPath } from 'node:url'
import { findWrongImports, shownPath } from './structure/check-rooms.mjs'
import { longFunctions, manyImports } from './structure/exceptions.mjs'
import {
  countByFolder,
  countDocumentedMembers,
  countJournalWriters,
  countMembers,
  findBoundlessReaders,
  findCircles,
  findFragments,
  findFunctions,
  findLookUps,
  findOwnRequests,
  findParticiples,
  findTrialDoors,
  findUnusedExports,
  measureLines,
  testRatio,
} from './structure/measures.mjs'
import { doors, readModules, readOtherTexts } from './structure/sources.mjs'

const maxLines = 500
const maxFiles = 20
const maxImports = 30
const maxFunctionLines = 80

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
    ...findCrowded(production),
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
    ...findOwnRequests(production).map(
      (path) => `${shownPath(path)}: asks another machine itself; use outgoingFetch of adapters/system/outgoing`,
    ),
    ...findTrialDoors(production).outside.map(
      (path) => `${shownPath(path)}: only core/trial opens views of branches and searches for hidden files`,
    ),
  ]
}

/** The door of a package imports nothing for itself: it passes on what is inside. */
function countImports({ path, imports }) {
  return Object.values(doors).includes(path) ? 0 : new Set(imports).size
}

/** Files that import too much and functions that are too long, and those that are listed as such and are no more. */
function findCrowded(production) {
  const importing = production.filter((one) => countImports(one) > maxImports).map(({ path }) => path)
  const long = findFunctions(production)
    .filter(({ lines }) => lines > maxFunctionLines)
    .map(({ path, name }) => `${path}: ${name}`)
  const isHere = (one) => production.some(({ path }) => path === one.split(': ')[0])
  const stale = [
    ...manyImports.filter((one) => isHere(one) && !importing.includes(one)),
    ...longFunctions.filter((one) => isHere(one) && !long.includes(one)),
  ]
  return [
    ...importing
      .filter((one) => !manyImports.includes(one))
      .map((path) => `${shownPath(path)}: imports more than ${maxImports} files`),
    ...long
      .filter((one) => !longFunctions.includes(one))
      .map((one) => `${shownPath(one)} has more than ${maxFunctionLines} lines`),
    ...stale.map((one) => `${one}: is within the limits now; take it out of scripts/structure/exceptions.mjs`),
  ]
}

function printFigures(modules) {
  const production = modules.filter(({ isTest }) => !isTest)
  const { files, median, p90, max, longest } = measureLines(production)
  const fragments = findFragments(production)
  const fullest = countByFolder(production).slice(0, 3)
  const doors = findTrialDoors(production)
  const functions = findFunctions(production).toSorted((a, b) => b.lines - a.lines)
  const [longestFunction] = functions
  const crowd = production.map(countImports)
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
      `functions above ${maxFunctionLines} lines`,
      String(functions.filter(({ lines }) => lines > maxFunctionLines).length),
    ],
    ['most imports of a file', String(Math.max(...crowd))],
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
