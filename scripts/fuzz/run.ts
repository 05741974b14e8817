// `node scripts/fuzz/run.ts --target NAME --seconds N --seed N [--replay FILE]`: feeds a reader with hostile inputs.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'
import { targetNames } from './targets.ts'

const help = `Usage: node scripts/fuzz/run.ts --target NAME --seconds N --seed N [--replay FILE] [--failures FOLDER]

Feeds one reader with inputs that are made from its seeds, and keeps those that reach new code. Prints one line of JSON.
An input that breaks a law, hangs, fills the memory or ends its process is written to a file, which --replay runs again.
Ends with code 1 when there was one.

NAME is one of: ${targetNames.join(', ')}; or a file *.fuzz.ts that exports a target.
`

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    failures: { type: 'string', default: join(tmpdir(), 'coppice-fuzz-failures') },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help || values.target === undefined) {
  process.stdout.write(help)
  process.exit(values.help ? 0 : 2)
}
const { target, replay, failures: failuresFolder } = values
const result = await fuzz({
  target,
  seconds: Number(values.seconds),
  seed: Number(values.seed),
  replay,
  failuresFolder,
})
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(result.failures.length === 0 ? 0 : 1)
