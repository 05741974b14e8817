// The rooms of docs/architecture.md and who may import whom. Fails when an import goes the wrong way, when a room has
// no file at all, and when nothing was checked: a check that visits nothing proves nothing.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const shared = ['shared/base', 'shared/model']

/** A room's own imports, besides itself. `packages: null` allows every package; `electron` is always named. */
const rooms = {
  'shared/base': { rooms: [], packages: [] },
  'shared/model': { rooms: ['shared/base'], packages: [] },
  'shared/contract': { rooms: shared, packages: ['zod', '@orpc/contract'] },
  'main/core': { rooms: shared, packages: ['zod', 'node-diff3', 'diff', 'picomatch', 'ignore', 'unbash'] },
  'main/adapters': { rooms: [...shared, 'main/core/ports'], packages: null },
  'main/host': { rooms: [...shared, 'shared/contract', 'main/core', 'main/adapters'], packages: null },
  'main/web': { rooms: ['shared/base', 'shared/contract', 'main/host'], packages: null },
  'main/cli': { rooms: ['shared/base', 'shared/contract', 'main/host', 'main/web'], packages: null },
  'main/desktop': { rooms: ['shared/base', 'shared/contract', 'main/host'], packages: null, electron: true },
  preload: { rooms: ['shared/contract'], packages: [], electron: true },
  renderer: { rooms: [...shared, 'shared/contract'], packages: null, noNode: true },
}

/** Inside core: what a folder may not import. What is below knows nothing of what is built on it. */
const inner = {
  'main/core/ports': [
    'main/core/overlay',
    'main/core/branches',
    'main/core/patch',
    'main/core/journal',
    'main/core/prompts',
    'main/core/agent',
    'main/core/approval',
    'main/core/tools',
  ],
  'main/core/overlay': [
    'main/core/branches',
    'main/core/patch',
    'main/core/journal',
    'main/core/prompts',
    'main/core/agent',
    'main/core/approval',
    'main/core/tools',
  ],
  'main/core/branches': ['main/core/journal', 'main/core/prompts', 'main/core/agent', 'main/core/approval'],
  'main/core/patch': [
    'main/core/branches',
    'main/core/journal',
    'main/core/prompts',
    'main/core/agent',
    'main/core/approval',
    'main/core/tools',
  ],
  'main/core/prompts': ['main/core/agent', 'main/core/tools'],
  'main/core/journal': ['main/core/agent', 'main/core/approval', 'main/core/tools'],
  'main/core/approval': ['main/core/agent'],
}

const aliases = {
  '#shared/': 'shared/',
  '#core/': 'main/core/',
  '#adapters/': 'main/adapters/',
  '#host/': 'main/host/',
}
const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g

/** Every wrong import below `source`, and how many files were looked at. */
function checkRooms(source) {
  const files = readdirSync(source, { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.(ts|tsx)$/.test(entry.name) &&
        !/\.(test|contract|testkit)\.tsx?$/.test(entry.name) &&
        !entry.name.endsWith('.d.ts'),
    )
    .map((entry) => relative(source, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const problems = files.flatMap((file) => problemsOf(source, file))
  const empty = Object.keys(rooms).filter((room) => !files.some((file) => within(file, room)))
  return { files: files.length, problems: [...problems, ...empty.map((room) => `src/${room}: no file was checked`)] }
}

function problemsOf(source, file) {
  const room = Object.keys(rooms).find((name) => within(file, name))
  if (!room) return [`src/${file}: belongs to no room`]
  const text = readFileSync(join(source, file), 'utf8')
  const imports = [...text.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? match[3])
  return imports.flatMap((specifier) => {
    const problem = problemOf(file, room, specifier)
    return problem ? [`src/${file}: imports ${specifier}: ${problem}`] : []
  })
}

function problemOf(file, room, specifier) {
  const target = resolve(file, specifier)
  return target === undefined ? packageProblem(rooms[room], specifier) : roomProblem(file, room, target)
}

/** The file an import names, from `src`; undefined for a package. */
function resolve(file, specifier) {
  const alias = Object.keys(aliases).find((prefix) => specifier.startsWith(prefix))
  if (alias) return aliases[alias] + specifier.slice(alias.length)
  return specifier.startsWith('.')
    ? normalize(join(dirname(file), specifier))
        .split(sep)
        .join('/')
    : undefined
}

function packageProblem(rule, specifier) {
  if (specifier === 'electron') return rule.electron ? undefined : 'electron belongs to desktop and preload'
  if (rule.noNode && specifier.startsWith('node:')) return 'the renderer has no Node'
  if (rule.packages === null) return undefined
  return rule.packages.some((name) => specifier === name || specifier.startsWith(`${name}/`))
    ? undefined
    : 'this room may not use this package'
}

function roomProblem(file, room, target) {
  const forbidden = Object.entries(inner).find(
    ([folder, never]) => within(file, folder) && never.some((other) => within(target, other)),
  )
  if (forbidden) return `${forbidden[0]} may not import this folder`
  if (within(target, room)) return siblingProblem(file, room, target)
  return rooms[room].rooms.some((allowed) => within(target, allowed)) ? undefined : `${room} may not import this room`
}

/** Adapters do not know each other, and regions of the window meet only in `app`; `state` and `ui` are for all. */
function siblingProblem(file, room, target) {
  if (room !== 'main/adapters' && room !== 'renderer') return undefined
  const [from, to] = [file, target].map((path) => path.slice(room.length + 1).split('/')[0])
  if (from === to || !target.slice(room.length + 1).includes('/')) return undefined
  if (room === 'main/adapters') return 'adapters do not import each other'
  if (from === 'app' || !file.slice(room.length + 1).includes('/')) return undefined
  if (from === 'ui') return 'ui knows no region and no state'
  return to === 'ui' || to === 'state' ? undefined : 'regions do not import each other'
}

function within(path, folder) {
  return path === folder || path.startsWith(`${folder}/`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const source = process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url))
  const { files, problems } = checkRooms(source)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (files === 0) process.stderr.write('No file was checked.\n')
  process.stdout.write(`Rooms: ${files} files, ${problems.length} wrong imports\n`)
  process.exit(files === 0 || problems.length > 0 ? 1 : 0)
}
