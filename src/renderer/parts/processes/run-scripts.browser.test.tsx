import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { BranchId, ProcessId, ThreadId } from '#shared/model/ids.ts'
import type { ProcessView } from '#shared/model/process.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { RunScripts } from './run-scripts.tsx'

const source = '/conductor.json' as VirtualPath
const runs = [
  { name: 'dev', command: 'npm run dev -- --port 3000', source },
  { name: 'a name that is much too long for the narrow side of a window', command: 'make '.repeat(40), source },
]
const branchId = 'branch' as BranchId
const running: ProcessView = {
  ...{ id: 'process_0' as ProcessId, threadId: 'thread' as ThreadId, branchId, command: 'npm run dev -- --port 3000' },
  ...{ startedAt: 0, end: null, isKept: true, ports: [], branchPorts: [], outputBytes: 0 },
}

async function render(processes: readonly ProcessView[], sandbox: 'on' | 'off', refuses = false) {
  const asked: unknown[] = []
  const answers = {
    'processes.start': (input: unknown) => {
      asked.push(input)
      if (refuses) throw new Error('This branch is not open any more.')
      return { processId: running.id }
    },
  }
  const { screen, session } = await renderInWindow(
    <div className="w-72 bg-panel">
      <RunScripts {...{ branchId, runs, processes }} />
    </div>,
    answers,
  )
  session.store.setState({ info: { sandbox: { state: sandbox, reason: '' } } as never })
  return { screen, asked }
}

test('a command of the project starts in the branch by one press, by keyboard too', async () => {
  const { screen, asked } = await render([], 'on')
  const dev = screen.getByRole('button', { name: /^Run: dev in/ })
  await expect.element(dev).toBeVisible()
  dev.element().focus()
  await userEvent.keyboard('{Enter}')
  const start = { projectId: 'project', branchId, name: 'dev', command: 'npm run dev -- --port 3000' }
  await expect.poll(() => asked).toEqual([start])
  await expect.element(screen.getByText('npm run dev -- --port 3000')).toBeVisible()
})

test('one that runs is not offered again, and what a command reaches without the sandbox is said', async () => {
  const { screen } = await render([running], 'off')
  await expect.element(screen.getByText(/^Without the sandbox a command can reach/)).toBeVisible()
  await expect.element(screen.getByRole('button', { name: /^Run: dev in/ })).not.toBeInTheDocument()
})

test('what keeps it from starting is said', async () => {
  const { screen } = await render([], 'on', true)
  await screen.getByRole('button', { name: /^Run: dev in/ }).click()
  await expect.element(screen.getByRole('alert')).toBeVisible()
})
