import type { ApprovalMode } from '#shared/model/thread.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** Has the scripted agent work in a separate process that a test kills. Prints the thread, then what it says. */
const [data = '', folder = '', text = '', mode = 'auto'] = process.argv.slice(2)
const host = await openTestHost(data, undefined, {}, () => openSandbox([]))
const project = await host.projects.open(folder)
project.events.listen((event) => {
  if (event.type === 'message.delta') process.stdout.write(`said ${event.text}\n`)
})
const approvalMode = mode as ApprovalMode
const options = { title: 'job', model: 'agent/scripted', approvalMode } as const
const id = project.runtime.begin(options, () => [{ type: 'text', text }])
process.stdout.write(`begun ${id}\n`)
