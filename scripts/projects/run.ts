// `npm run smoke:projects [-- NAME …]`: works on projects of others as a person would, and on small ones of each kind that
// git knows: their own tests bare and in a view, three forks at once, edits, a patch for a plain clone, a person's
// commit beside. Needs the network, so no test runs it. Build first.
import { madeProjects } from './made-projects.ts'
import { realProjects } from './real-projects.ts'
import { laws, type Row, trySample } from './try-sample.ts'

const names = process.argv.slice(2)
const samples = [...realProjects, ...madeProjects].filter(({ name }) => names.length === 0 || names.includes(name))
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
const heads = ['project', 'files', 'own tests bare / view', ...laws.slice(1), 'time bare / view']

function lineOf({ name, skipped, files, bare, view, laws: answers }: Row): string {
  if (skipped !== null) return `| ${name} | skipped: ${skipped} |${' |'.repeat(heads.length - 2)}`
  const [own, ...rest] = laws.map((law) => (answers[law] ? 'yes' : '**NO**'))
  const tests = bare.result === view.result ? `${bare.result}, equal` : `${bare.result} / ${view.result} ${own}`
  const times = `${seconds(bare.milliseconds)} / ${seconds(view.milliseconds)}`
  return `| ${[name, files, tests, ...rest, times].join(' | ')} |`
}

if (samples.length === 0) process.stderr.write('No project has this name.\n')
const rows: Row[] = []
for (const sample of samples) {
  process.stderr.write(`${sample.name} …\n`)
  const row = await trySample(sample)
  rows.push(row)
  process.stderr.write(`${lineOf(row)}\n`)
  if (Object.values(row.laws).includes(false)) process.stderr.write(`${row.trouble}\n`)
}
process.stdout.write(`| ${heads.join(' | ')} |\n|${'---|'.repeat(heads.length)}\n${rows.map(lineOf).join('\n')}\n`)
const hasFailed = rows.some((row) => Object.values(row.laws).includes(false))
process.exitCode = samples.length > 0 && !hasFailed ? 0 : 1
