// Compares the imports with the allow-list of `rooms.mjs`. Fails for a wrong import, for a room without a file, and
// when nothing was checked, because a check that visits nothing proves nothing.
import { builtinModules } from 'node:module'
import { exclusivePackages, nodeRooms, rooms } from './rooms.mjs'
import { doors, isWithin, packages, resolveImport } from './sources.mjs'

/** One sentence for every wrong import among the modules. */
export function findWrongImports(modules) {
  const checked = modules.filter(({ isTest }) => !isTest)
  const empty = Object.keys(rooms).filter((room) => !checked.some(({ path }) => isWithin(path, room)))
  const testsOfPackages = modules.filter(({ path, isTest }) => isTest && isWithin(path, packages))
  return [
    ...checked.flatMap(problemsOf),
    ...testsOfPackages.flatMap(problemsOfTest),
    ...modules.flatMap(sideDoors),
    ...empty.map((room) => `${shownPath(room)}: no file was checked`),
  ]
}

/** Tests of a package may use any library of tests, but nothing of the app. */
function problemsOfTest({ path, imports }) {
  return imports
    .filter((specifier) => {
      const target = resolveImport(path, specifier)
      return target !== undefined && roomOf(target) !== roomOf(path)
    })
    .map((specifier) => `${path}: imports ${specifier}: a package knows nothing of the app`)
}

/** Imports of a package's inside by what is not in it. */
function sideDoors({ path, targets }) {
  if (isWithin(path, packages)) return []
  return targets
    .filter((target) => /(?:^|\/)packages\//.test(target) && !Object.values(doors).includes(target))
    .map((target) => `src/${path}: imports ${target}: a package is imported by its doors alone`)
}

/** A path as people write it, from the project. */
export function shownPath(path) {
  return isWithin(path, packages) ? path : `src/${path}`
}

function problemsOf({ path, imports }) {
  const room = roomOf(path)
  if (room === undefined) return [`${shownPath(path)}: belongs to no room`]
  return imports.flatMap((specifier) => {
    const target = resolveImport(path, specifier)
    const problem = target === undefined ? packageProblem(path, room, specifier) : roomProblem(room, target)
    return problem ? [`${shownPath(path)}: imports ${specifier}: ${problem}`] : []
  })
}

/** The innermost room that holds a file. */
function roomOf(path) {
  return Object.keys(rooms)
    .filter((room) => isWithin(path, room))
    .sort((a, b) => b.length - a.length)[0]
}

function roomProblem(room, target) {
  const allowed = [room, ...rooms[room].rooms]
  const { importers } = rooms[roomOf(target) ?? room]
  const isOpen = importers === undefined || room === roomOf(target) || importers.includes(room)
  return isOpen && allowed.some((one) => isWithin(target, one)) ? undefined : `${room} may not import this room`
}

function packageProblem(path, room, specifier) {
  if (specifier.startsWith('node:') || builtinModules.includes(specifier))
    return nodeRooms.some((one) => isWithin(path, one)) ? undefined : 'this room runs without Node'
  const { packages } = rooms[room]
  const isNamed = (packages ?? []).some((name) => specifier === name || specifier.startsWith(`${name}/`))
  if (isNamed) return undefined
  const exclusive = exclusivePackages.find((name) => specifier === name || specifier.startsWith(`${name}/`))
  if (exclusive) return `${exclusive} belongs to main/desktop and preload`
  return packages === null ? undefined : 'this room may not use this package'
}
