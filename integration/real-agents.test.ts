import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { resultOf } from '#shared/model/calls/call.ts'
import { textOf } from '#shared/model/message.ts'
import { type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { openWorld } from './world.testkit.ts'

const opencode = '/work/main/bench/node_modules/opencode-linux-x64/bin/opencode'

it('opencode', { timeout: 120_000 }, async () => {
  const seen: string[] = []
  let folder = ''
  const scenario: Scenario = (request) => {
    seen.push((request.tools ?? []).map(({ name }) => name).join(','))
    if ((request.tools ?? []).length === 0) return { text: 'A title' }
    const calls = [
      { name: 'read', input: { filePath: `${folder}/a.txt` } },
      { name: 'edit', input: { filePath: `${folder}/a.txt`, oldString: 'one', newString: 'changed' } },
      { name: 'bash', input: { command: 'mv b.txt d.txt; git status --short; pwd', description: 'Move a file' } },
    ]
    const call = calls[turnOf(request)]
    return call ? { calls: [{ ...call, id: `c${turnOf(request)}` }] } : { text: 'All done.' }
  }
  const config = (url: string) =>
    JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      permission: { edit: 'ask', bash: 'ask' },
      model: 'anthropic/claude-sonnet-4-5',
      provider: {
        anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'sk-bench' }, models: { 'claude-sonnet-4-5': {} } },
      },
    })
  expect(existsSync(opencode)).toBe(true)
  const world = await openWorld(scenario, {
    files: { 'a.txt': 'one\n', 'b.txt': 'two\n' },
    openSandbox: () => openSandbox([]),
    settingsFor: (url) => ({
      subagents: [
        {
          name: 'opencode',
          description: 'OpenCode',
          acp: `${opencode} acp`,
          local_ports: [Number(new URL(url).port)],
          env: {
            OPENCODE_CONFIG_CONTENT: config(url),
            OPENCODE_DISABLE_AUTOUPDATE: '1',
            OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
            OPENCODE_DISABLE_MODELS_FETCH: '1',
          },
        },
      ],
    }),
  })
  folder = world.folder
  const { runtime } = world.project
  const content = [{ type: 'text', text: 'Do the job.' }] as const
  const id = runtime.begin(
    { title: 'job', model: 'scripted', approvalMode: 'auto', agentType: 'opencode' },
    () => content,
  )
  await runtime.whenIdle(id)
  console.log(seen)
  console.log(JSON.stringify(world.thread(id).messages, null, 1))
  console.log(
    [...world.thread(id).calls.values()].map((call) => [
      call.name,
      call.input,
      call.state.kind,
      textOf(resultOf(call)?.content ?? []),
      call.changedPaths,
    ]),
  )
  console.log(world.thread(id).end)
  expect(await world.fileOf(id, '/a.txt')).toBe('changed\n')
  expect(await world.fileOf(id, '/d.txt')).toBe('two\n')
})
