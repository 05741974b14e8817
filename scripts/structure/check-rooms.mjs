// Compares the imports with the allow-list of `rooms.mjs`. Fails for a wrong import, for a room without a file, and
// when nothing was checked, because a check that visits nothing proves nothing.
import { builtinModules } from 'node:module'
import { exclusivePackages, nodeRooms, rooms } from './rooms.mjs'
import { isWithin, resolveImport } from './sources.mjs'

/** One sentence for every wrong import among the modules. */
export function findWrongImports(modules) {
  const checked = modules.filter(({ isTest }) => !isTest)
  const empty = Object.keys(rooms).filter((room) => !checked.some(({ path }) => isWithin(path, room)))
  return [...checked.flatMap(problemsOf), ...empty.map((room) => `src/${room}: no file was checked`)]
}

function problemsOf({ path, imports }) {
  const room = roomOf(path)
  if (room === undefined) return [`src/${path}: belongs to no room`]
  return imports.flatMap((specifier) => {
    const target = resolveImport(path, specifier)
    const problem = target === undefined ? packageProblem(room, specifier) : roomProblem(room, target)
    return problem ? [`src/${path}: imports ${specifier}: ${problem}`] : []
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

function packageProblem(room, specifier) {
  if (specifier.startsWith('node:') || builtinModules.includes(specifier))
    return nodeRooms.some((one) => isWithin(room, one)) ? undefined : 'this room runs without Node'
  const { packages } = rooms[room]
  const isNamed = (packages ?? []).some((name) => specifier === name || specifier.startsWith(`${name}/`))
  if (isNamed) return undefined
  const exclusive = exclusivePackages.find((name) => specifier === name || specifier.startsWith(`${name}/`))
  if (exclusive) return `${exclusive} belongs to main/desktop and preload`
  return packages === null ? undefined : 'this room may not use this package'
}
