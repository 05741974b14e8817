// `node scripts/doors/mutate.ts [PART]`: takes each guard of `doors.ts` with PART in its words away, one after the other, and
// runs the test that must fail then. The files are as before at the end.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, source } from '../structure/sources.mjs'
import { type Row, rows } from './doors.ts'
import { guards } from './tools-by-guards.ts'

const part = process.argv[2] ?? ''
const ofTools = guards.map(
  ({ name, mutation: [text, without] }): Row => ({
    ...{ kind: 'tools', doors: [], guard: name, test: ['../scripts/doors/doors.test.ts', name] },
    mutation: ['main/core/approval/policy.ts', text, without],
  }),
)
const chosen = [...rows, ...ofTools].filter(({ kind, guard }) => `${kind}: ${guard}`.includes(part))
const survivors = chosen.filter((row) => {
  const survived = survives(row)
  console.log(`${survived ? 'SURVIVED' : 'caught'}  ${row.kind}: ${row.guard}`)
  return survived
})
console.log(`${chosen.length - survivors.length} caught, ${survivors.length} survived`)
process.exit(survivors.length === 0 ? 0 : 1)

/** True when the test passes without the guard. */
function survives({ test: [test, title], mutation: [file, text, without] }: Row): boolean {
  const place = join(source, file)
  const whole = readFileSync(place, 'utf8')
  const restore = () => writeFileSync(place, whole)
  process.once('exit', restore)
  try {
    writeFileSync(
      place,
      whole.replace(text, () => without),
    )
    const named = title.replace(/[$(%].*$/s, '').replace(/[.*+?^{}|[\]\\]/g, '.')
    const run = ['vitest', 'run', '--project', 'unit', '--project', 'processes', join('src', test), '-t', named]
    return spawnSync('npx', run, { cwd: root, stdio: 'ignore', timeout: 180_000 }).status === 0
  } finally {
    restore()
    process.off('exit', restore)
  }
}
