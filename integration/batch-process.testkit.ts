import type { ThreadId } from '#shared/model/ids.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** Begins or resumes a batch in a separate process that a test kills. Prints the thread, then each task that ended. */
const [data = '', folder = '', url = '', known = ''] = process.argv.slice(2)
const host = await openTestHost(data, undefined, { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: url })
const project = await host.projects.open(folder)
project.events.listen((event) => {
  if (event.type === 'run.ended') process.stdout.write(`${event.threadId} ${event.status}\n`)
})
const content = [{ type: 'text', text: 'main' }] as const
const options = { title: 'main', model: 'scripted', approvalMode: 'auto' } as const
const id = known === '' ? project.runtime.begin(options, () => content) : (known as ThreadId)
process.stdout.write(`${id} begun\n`)
if (known !== '') project.runtime.resume(id)
await project.runtime.whenIdle(id)
process.stdout.write(`${id} quiet\n`)
await host[Symbol.asyncDispose]()
