import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { ThreadId } from '#shared/model/ids.ts'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { type ApiRequest, byTask, type Scenario, taskOf } from '../e2e/model-server/scenario.ts'
import { openTestHost } from '../src/main/host/testing/test-host.testkit.ts'

/** The context of an agent before its conversation, as the provider receives it. */
const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-prompt-'))

async function world(scenario: Scenario) {
  const server = await startModelServer(scenario)
  open.push(server)
  const [place, data] = [folder(), folder()]
  writeFileSync(join(place, 'AGENTS.md'), 'Use tabs.')
  const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const host = await openTestHost(data, undefined, environment)
  open.push(host)
  const { info } = await host.projects.open(place)
  host.projects.setTrusted(info().id, true)
  const { runtime } = host.projects.get(info().id)
  const say = async (threadId: ThreadId, text: string) => {
    runtime.send(threadId, [{ type: 'text', text }], 'queue')
    await runtime.whenIdle(threadId)
  }
  return { server, place, data, runtime, say, distrust: () => host.projects.setTrusted(info().id, false) }
}

const threeAnswers = byTask({ main: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] })

it('the system prompt and the tools never change for a thread; changed instructions come as one message', async () => {
  const { server, place, runtime, say } = await world(threeAnswers)
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  await say(threadId, 'main')
  writeFileSync(join(place, 'AGENTS.md'), 'Use spaces.')
  await say(threadId, 'again')
  await say(threadId, 'and again')
  const [first, second, third] = server.requests
  expect(JSON.stringify(first?.system)).toContain('Use tabs.')
  for (const later of [second, third]) {
    expect([later?.system, later?.tools]).toEqual([first?.system, first?.tools])
    const told = later?.messages.filter((message) => JSON.stringify(message).includes('Use spaces.'))
    expect(told).toHaveLength(1)
  }
})

const textIn = (sent: unknown) => JSON.stringify(sent)

it('subagents of a type have its prompt, tools and model, and see as much of the parent as it says', async () => {
  const scenario = byTask({
    main: [
      {
        calls: [
          {
            name: 'spawn_subagents',
            input: {
              tasks: [
                { task: 'strict child', subagent_type: 'reviewer' },
                { task: 'scoped child', subagent_type: 'planner' },
                { task: 'judge this', subagent_type: 'judge' },
              ],
            },
          },
        ],
      },
    ],
    'judge this': [{ text: 'Yes.', calls: [] }],
  })
  const { server, place, runtime, say } = await world(scenario)
  mkdirSync(join(place, '.coppice'))
  writeFileSync(
    join(place, '.coppice/agents.yaml'),
    `subagents:
  - { name: reviewer, description: Reviews., prompt: Be strict., tools: [read_file], model: claude-haiku-4-5 }
  - { name: planner, description: Plans., context_scope: scoped }
  - { name: judge, description: Judges., mode: tool }
`,
  )
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  await say(threadId, 'main CANARY-IN-THE-HISTORY')
  const requestOf = (task: string) => server.requests.find((request) => taskOf(request) === task)
  const [strict, scoped, judge] = ['strict child', 'scoped child', 'judge this'].map(requestOf)
  expect([strict?.model, strict?.tools?.map(({ name }) => name)]).toEqual(['claude-haiku-4-5', ['read_file']])
  expect(textIn(strict?.system)).toContain('Be strict.')
  expect(textIn(strict?.system)).not.toContain('todo list first')
  expect(textIn(scoped?.messages)).toContain('\\"scope\\":\\"scoped\\"')
  expect([judge?.tools, requestsFor(server.requests, 'judge this')]).toEqual([undefined, 1])
  for (const child of [strict, scoped, judge]) expect(textIn(child)).not.toContain('CANARY-IN-THE-HISTORY')
  expect(textIn(server.requests[0]?.tools)).toContain('- judge: Judges.')
})

it('instructions of a folder are sent once, when a file below the folder is read', async () => {
  const { server, place, runtime, say } = await world(
    byTask({
      main: [
        { calls: [{ name: 'read_file', input: { file_path: '/src/deep/a.txt' } }] },
        { calls: [{ name: 'read_file', input: { file_path: '/src/deep/a.txt' } }] },
      ],
    }),
  )
  mkdirSync(join(place, 'src/deep'), { recursive: true })
  writeFileSync(join(place, 'src/AGENTS.md'), 'NESTED RULE')
  writeFileSync(join(place, 'src/deep/a.txt'), 'a')
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  await say(threadId, 'main')
  await say(threadId, 'again')
  expect(textIn(server.requests[0])).not.toContain('NESTED RULE')
  expect(textIn(server.requests.at(-1)).split('NESTED RULE')).toHaveLength(2)
})

it('a skill of the user is named in the prompt and can be read beside the project', async () => {
  const file_path = '/inputs/skills/release/SKILL.md'
  const { server, data, runtime, say } = await world(
    byTask({ main: [{ calls: [{ name: 'read_file', input: { file_path } }] }] }),
  )
  mkdirSync(join(data, 'skills/release'), { recursive: true })
  writeFileSync(join(data, 'skills/release/SKILL.md'), '---\nname: release\ndescription: How to release.\n---\nTAG IT')
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  await say(threadId, 'main')
  expect(textIn(server.requests[0]?.system)).toContain(
    JSON.stringify(`{"name":"release","description":"How to release.","file":"${file_path}"}`).slice(1, -1),
  )
  expect(textIn(server.requests[0])).not.toContain('TAG IT')
  expect(textIn(server.requests[1])).toContain('TAG IT')
})

it('a prompt contains nothing from a folder before the folder is trusted', async () => {
  const { server, place, runtime, say, distrust } = await world(byTask({ main: [{ text: 'Done.' }] }))
  distrust()
  for (const folder of ['.claude/agents', '.claude/skills/s', '.coppice'])
    mkdirSync(join(place, folder), { recursive: true })
  writeFileSync(join(place, '.claude/agents/a.md'), '---\nname: evil\ndescription: CANARY\n---\nCANARY')
  writeFileSync(join(place, '.claude/skills/s/SKILL.md'), '---\nname: s\ndescription: CANARY\n---\n')
  writeFileSync(join(place, '.coppice/agents.yaml'), 'subagents: [{ name: e, description: CANARY }]')
  const threadId = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto-edit' })
  await say(threadId, 'main')
  expect(textIn(server.requests[0])).not.toMatch(/CANARY|Use tabs/)
})

function requestsFor(requests: readonly ApiRequest[], task: string): number {
  return requests.filter((request) => taskOf(request) === task).length
}
