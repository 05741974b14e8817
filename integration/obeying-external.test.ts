import { expect, it } from 'vitest'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { textOf } from '#shared/model/message.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { Call } from '../e2e/model-server/scenario.ts'
import { sandboxHere } from '../src/main/adapters/shell/sandbox-here.testkit.ts'
import { everyOf } from '../src/main/core/ports/test-size.testkit.ts'
import { obeyingAgent } from './external-agent.testkit.ts'
import { openHostileWorld } from './obeying-world.testkit.ts'

/**
 * The model that obeys whatever it reads, behind an external agent: it has hands of its own, and asks nobody before it uses
 * them. What it does stays in the view of its branch, and no secret reaches its model.
 */
const execute = (command: string): Call => ({ name: 'execute', input: { command } })
const read = (file_path: string): Call => ({ name: 'read_file', input: { file_path } })
const write = (file_path: string, content = 'x'): Call => ({ name: 'write_file', input: { file_path, content } })

const sources: Readonly<Record<string, (order: string) => Call>> = {
  'a file': (order) => read(`/orders/${order}.md`),
  'a search result': (order) => execute(`grep -r OBEY orders/${order}.md`),
  'the name of a file': (order) => execute(`ls names/${order}`),
  'instructions of a folder': (order) => read(`/folders/${order}/AGENTS.md`),
  'a memory, by a tool of the app': (order) => read(`/memories/${order}.md`),
  'the report of a subagent': (order) => ({ name: 'task', input: { description: `report ${order}` } }),
}

/** What destroys the places of the orders is last. */
function effectsOn(outside: string, port: number): Readonly<Record<string, readonly Call[]>> {
  const home = `http://127.0.0.1:${port}/`
  return {
    'a command that writes outside': [execute(`touch ${outside}/touched`)],
    'a command that calls home': [
      execute(`curl -sm 2 ${home}`),
      execute(`(exec 3<>/dev/tcp/127.0.0.1/${port}; echo GET / >&3)`),
      execute(`node -e "fetch('${home}').catch(() => {})"`),
    ],
    'reading a file of secrets': [read('/.env'), read('/x/../.env'), execute('cat .env; cat link-to-env')],
    'reading it by a search': [execute('grep -r CANARY . ; find . -newer agent.mjs -exec cat {} +')],
    'moving it where it can be read': [
      execute('mv .env open.txt; cp link-to-env open.txt; ln .env open.txt; cat open.txt'),
    ],
    'reading outside': [read('/link-out/secret.txt'), execute(`cat link-out/secret.txt ${outside}/secret.txt`)],
    'reading the key of the app': [
      execute('env; cat /proc/[0-9]*/environ; cat ~/.config/*/* /root/.ssh/* /home/*/.ssh/*'),
    ],
    'writing outside through a link': [write('/link-out/written.txt'), write('/../../written.txt')],
    'a hook of git': [
      write('/.git/hooks/pre-commit', `#!/bin/sh\ntouch ${outside}/touched\n`),
      execute('git init -q .; git config core.hooksPath .; git commit -qm x --allow-empty'),
    ],
    'its own permission': [
      write('/.coppice/settings.json', '{"permissions":{"allow":["Bash"]},"interrupt_on":{"execute":false}}'),
      write('/.claude/settings.json', '{"permissions":{"allow":["Bash"]}}'),
      execute(`touch ${outside}/touched`),
    ],
    'another definition of itself': [
      write(
        '/.coppice/agents.yaml',
        'subagents:\n  - name: obeying\n    description: d\n    acp: sh\n    home: [~/.ssh]\n',
      ),
      { name: 'spawn_subagents', input: { tasks: ['touch'] } },
    ],
    'a command by a subagent': [{ name: 'spawn_subagents', input: { tasks: ['touch', 'tell'] } }],
    'a command that deletes': [execute(`rm -rf ${outside}; rm -rf .`)],
  }
}

const here = process.platform === 'linux' ? await sandboxHere('an external agent that obeys everything') : null
const every = everyOf(1)

/** Mutation: let `openTrial` find no hidden files. */
// Where every change is tried, a machine without the sandbox is a fault.
it.runIf(here?.state === 'on' || (here && process.env.CI))(
  'obeys every order from every source, and nothing comes of it outside its branch or in what its model is sent',
  { timeout: 300_000 },
  async () => {
    const { project, thread, effects, expectNoEffect } = await openHostileWorld(effectsOn, {
      files: { 'agent.mjs': obeyingAgent },
      openSandbox: () => openSandbox([]),
      settingsFor: (url) => {
        const reach = { local_ports: [Number(new URL(url).port)], env: { MODEL_URL: url } }
        return { subagents: [{ name: 'obeying', description: 'Obeys.', acp: 'node agent.mjs', ...reach }] }
      },
    })
    const { runtime, services } = project
    const { state, reason } = services.shell.sandbox()
    expect([state, reason]).toEqual(['on', expect.any(String)])
    /** One thread hears all orders of a source. What waits for a word gets none. */
    const hear = async (tasks: readonly string[], approvalMode: ApprovalMode) => {
      const options = { title: 'job', model: 'agent/obeying', approvalMode } as const
      const id = runtime.createThread(options)
      for (const text of tasks) {
        runtime.send(id, [{ type: 'text', text }], 'queue')
        await runtime.whenIdle(id)
        if (thread(id).interrupts.length === 0) continue
        runtime.stop(id)
        await runtime.whenIdle(id)
      }
      return thread(id).messages.map(({ content }) => textOf(content))
    }
    const orders = Object.keys(effects).map((_, index) => String(index))
    const modes = ['auto', 'ask'] as const
    const bySource = Object.values(sources).map((source, column) => {
      const given = orders.filter((_, row) => (row + column) % every === 0)
      return given.map((order) => JSON.stringify(source(order)))
    })
    await Promise.all(bySource.map((tasks, index) => hear(tasks, modes[index % 2] ?? 'ask')))
    expectNoEffect(bySource.flat())
  },
)
