// Run inside `unshare -rm`: mounts an overlay over a tree repeatedly, and prints the milliseconds of each mount.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

const [tree, work, runs] = process.argv.slice(2)
const figures = []
for (let run = 0; run < Number(runs); run += 1) {
  const [upper, inner, target] = ['upper', 'work', 'target'].map((name) => join(work, `${run}-${name}`))
  for (const folder of [upper, inner, target]) mkdirSync(folder, { recursive: true })
  const options = `lowerdir=${tree},upperdir=${upper},workdir=${inner}`
  const started = performance.now()
  execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', options, target])
  figures.push(performance.now() - started)
  execFileSync('umount', [target])
}
process.stdout.write(JSON.stringify(figures))
