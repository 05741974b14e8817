// Writes the linter's import rules from the rooms, so that an editor shows a wrong import at once. `rooms.mjs` is the
// only source, and `npm run check:structure` fails while biome.json differs from it.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exclusivePackages, nodeRooms, rooms } from './rooms.mjs'
import { isWithin, root } from './sources.mjs'

const file = join(root, 'biome.json')
const tests = ['!**/*.test.ts', '!**/*.test.tsx', '!**/*.contract.ts', '!**/*.testkit.ts']
const aliases = { shared: '#shared', 'main/core': '#core', 'main/adapters': '#adapters', 'main/host': '#host' }

/** One override for each room, with the imports that the room must not have. */
function overrides() {
  return Object.entries(rooms).map(([room, rule]) => ({
    includes: [room.includes('.') ? `src/${room}` : `src/${room}/**`, ...innerRooms(room), ...tests],
    linter: {
      rules: { style: { noRestrictedImports: { level: 'error', options: { patterns: patternsOf(room, rule) } } } },
    },
  }))
}

function innerRooms(room) {
  const inner = Object.keys(rooms).filter((other) => other !== room && isWithin(other, room))
  return inner.map((other) => (other.includes('.') ? `!src/${other}` : `!src/${other}/**`))
}

function patternsOf(room, { rooms: allowed, packages }) {
  const runsOnNode = nodeRooms.some((one) => isWithin(room, one))
  const exclusive = exclusivePackages.filter((name) => !(packages ?? []).includes(name))
  const aliased = forbiddenAliases([room, ...allowed])
  return [
    ...(runsOnNode ? [] : [{ group: ['node:*'], message: 'This room runs without Node.' }]),
    ...(exclusive.length > 0
      ? [
          {
            group: exclusive.flatMap((name) => [name, `${name}/*`]),
            message: 'electron belongs to main/desktop and preload.',
          },
        ]
      : []),
    ...(aliased.length > 0
      ? [{ group: aliased, message: 'This room may not import that one (scripts/structure/rooms.mjs).' }]
      : []),
  ]
}

/** Glob patterns that forbid everything behind an alias, followed by the exceptions that are allowed. */
function forbiddenAliases(allowed) {
  return Object.entries(aliases).flatMap(([folder, alias]) => {
    if (allowed.some((room) => isWithin(folder, room))) return []
    const open = allowed.filter((room) => isWithin(room, folder) && room !== folder)
    return [
      `${alias}/**`,
      ...open.map((room) => `!${alias}${room.slice(folder.length)}${room.includes('.') ? '' : '/**'}`),
    ]
  })
}

const generated = (override) => override.linter?.rules?.style?.noRestrictedImports !== undefined

/** One sentence if biome.json differs from the rooms; empty otherwise. */
export function staleBiomeRules() {
  const present = JSON.parse(readFileSync(file, 'utf8')).overrides.filter(generated)
  if (JSON.stringify(present) === JSON.stringify(overrides())) return []
  return [
    'biome.json has other import rules than scripts/structure/rooms.mjs: run node scripts/structure/write-biome-rooms.mjs',
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  settings.overrides = [...overrides(), ...settings.overrides.filter((override) => !generated(override))]
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`)
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  execFileSync(process.execPath, [biome, 'format', '--write', file], { cwd: root, stdio: 'inherit' })
}
