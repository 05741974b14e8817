import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { TerminalEvent } from '#shared/contract/views/threads.ts'
import { findTerminal } from '#shared/model/project-state.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'coppice-terminals-'))

async function open(data = folder(), root = folder()) {
  const host = await openTestHost(data)
  const project = await host.projects.open(root)
  const [known] = project.services.log.state.threads.values()
  const threadId = project.runtime.createThread({ title: 'main', model: 'demo', approvalMode: 'ask' })
  const branchId = known?.branchId ?? readThread(project.services.log, threadId)?.branchId ?? null
  const closing = new AbortController()
  /** A terminal in the branch, in which this command has run. */
  const type = async (terminalId: string, command: string) => {
    const stream = await project.terminals.open({ terminalId, branchId, columns: 80, rows: 24 }, closing.signal)
    const events = stream.values({ preventCancel: true })
    project.terminals.running(terminalId).write(`${command}; echo re''ady\n`)
    let shown = ''
    for await (const event of events) {
      if (event.type === 'output') shown += event.text
      if (shown.includes('ready')) break
    }
    return async (): Promise<readonly TerminalEvent[]> => {
      const left: TerminalEvent[] = []
      for await (const event of stream) if (event.type === 'ended') left.push(event)
      return left
    }
  }
  const changedIn = (id: string) => findTerminal(project.services.log.state, id)?.patch?.map(([path]) => path)
  return { host, project, branchId, closing, type, changedIn, data, root }
}

it('starts no shell for a window that went away while the mount was being made', async () => {
  const { host, project, branchId, closing, data } = await open()
  await using _host = host
  const opening = project.terminals.open({ terminalId: 'one', branchId, columns: 80, rows: 24 }, closing.signal)
  setImmediate(() => closing.abort('gone'))
  await expect(opening).rejects.toBe('gone')
  expect(() => project.terminals.running('one')).toThrow('has ended')
  expect(project.services.log.state.terminals.size).toBe(0)
  const views = readdirSync(join(data, 'projects', project.info().id, 'views'))
  expect(views.filter((name) => name !== '.made-by-coppice')).toEqual([])
})

it('holds what was changed in a branch when its window goes away, and no other terminal takes its name', async () => {
  const { host, project, branchId, closing, type, changedIn } = await open()
  await using _host = host
  const rest = await type('one', 'echo new > made')
  closing.abort('gone')
  expect(await rest()).toEqual([{ type: 'ended', changed: ['/made'] }])
  expect(changedIn('one')).toEqual(['/made'])
  const again = project.terminals.open({ terminalId: 'one', branchId, columns: 80, rows: 24 }, closing.signal)
  await expect(again).rejects.toThrow('open already')
})

it('holds what was changed in a branch when the app is closed', async () => {
  const { host, type, data, root } = await open()
  writeFileSync(join(root, 'a'), 'one')
  await type('one', 'echo two > a')
  await host[Symbol.asyncDispose]()
  const next = await open(data, root)
  await using _host = next.host
  expect(next.changedIn('one')).toEqual(['/a'])
})

it('leaves ignored files to the commands of the branch, beside what they left meanwhile', async () => {
  const { host, project, branchId, type, changedIn, root } = await open()
  await using _host = host
  if (!branchId) throw new Error('There is no branch.')
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n')
  const [one, two] = [await type('one', 'mkdir -p node_modules; echo 1 > node_modules/one'), await type('two', ':')]
  project.terminals.running('one').write('exit\n')
  expect(await one()).toEqual([{ type: 'ended', changed: [] }])
  expect(changedIn('one')).toBeUndefined()
  project.terminals.running('two').write('mkdir -p node_modules; echo 2 > node_modules/two; echo new > made; exit\n')
  expect(await two()).toEqual([{ type: 'ended', changed: ['/made'] }])
  const { log, mounts } = project.services
  const environment = environmentOf(log.trees, branchId)
  await using mount = await mounts.open({ owner: 'look', overlay: [], environment }, new AbortController().signal)
  const [program = '', ...parameters] = mount.enter(['bash', '-c', 'cd "$0" && cat node_modules/*', mount.folder])
  expect(execFileSync(program, parameters, { encoding: 'utf8' })).toBe('1\n2\n')
})
