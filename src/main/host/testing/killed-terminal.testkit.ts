import { readThread } from '#core/journal/read-thread.ts'
import { openTestHost } from './test-host.testkit.ts'

// An app to be killed while a person types in a terminal of a branch. It prints the branch when the command has run.
const [data = '', folder = '', typed = ''] = process.argv.slice(2)
const host = await openTestHost(data, (problem, error) => console.error(problem, error))
const project = await host.projects.open(folder)
const threadId = project.runtime.createThread({ title: 'main', model: 'demo', approvalMode: 'ask' })
const branchId = readThread(project.services.log, threadId)?.branchId ?? null
const request = { terminalId: 'typed', branchId, columns: 80, rows: 24 }
const output = await project.terminals.open(request, new AbortController().signal)
// The shell prints the two parts together only when it runs the command.
project.terminals.running('typed').write(`${typed}; echo re''ady\n`)
let shown = ''
for await (const event of output) {
  if (event.type === 'output') shown += event.text
  if (shown.includes('ready')) break
}
process.stdout.write(`${JSON.stringify({ branchId })}\n`)
setInterval(() => undefined, 1_000)
