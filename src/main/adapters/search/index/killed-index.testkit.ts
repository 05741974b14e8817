import { openRun, untilReady } from './index-world.testkit.ts'

// Makes the index of a project, again and again, until somebody kills it.
const [root = '', kept = ''] = process.argv.slice(2)
process.stdout.write('started')
for (;;) {
  await using run = openRun({ root, kept })
  await untilReady(run.index)
}
