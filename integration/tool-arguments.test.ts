import { expect, it } from 'vitest'
import { resultOf } from '#shared/model/calls/call.ts'
import { type ApiRequest, type Call, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { openWorld } from './world.testkit.ts'

/** Arguments that fit no tool. They are JSON text, because `JSON.stringify` would drop `__proto__`. */
const malformed = [
  '{}',
  '{"__proto__":{"command":"touch polluted"},"constructor":{"prototype":{"polluted":1}}}',
  '{"file_path":7,"path":7,"from":7,"to":7,"pattern":7,"command":7,"code":7,"content":7,"todos":7,"tasks":7,"handle":7}',
  '{"file_path":null,"path":null,"from":null,"pattern":null,"command":null,"code":null,"todos":null,"description":null}',
  '{"file_path":"\\u0000","path":"\\u0000","from":"\\u0000","to":"\\u0000","pattern":"","command":"","code":"","content":"x"}',
  '{"file_path":"../../x","path":"/../..\\u0000","from":"~","to":"C:\\\\x","pattern":"[","content":"\\ud800","old_string":"","new_string":""}',
  '{"todo_index":1e999,"status":"done","timeout":-1,"offset":-1,"limit":0,"todos":[{}],"tasks":[{}],"edits":[],"handle":"","question":""}',
  '{"file_path":[],"path":[],"from":{},"pattern":[],"command":[],"code":{},"todos":"x","tasks":"x","handle":{},"question":[],"description":[],"todo_index":"x"}',
  '{"file_path":true,"path":true,"from":true,"to":true,"pattern":true,"command":true,"code":true,"todos":true,"tasks":true,"handle":[1],"question":true,"description":true,"todo_index":true}',
  '{"unknown":"x"}',
  '{"File_Path":"/a.txt","PATH":"/","cmd":"ls","CODE":"1"}',
] as const

/** Calls every offered tool with each of these arguments in one turn. */
const everyTool: Scenario = (request) => {
  if (turnOf(request) > 0) return { text: 'Understood.' }
  return { calls: callsTo(request) }
}

/** These may run without any arguments. */
const mayRun = new Set(['ls', 'read_todos', 'process_list', 'compact', 'agent_wait', 'agent_status'])

function callsTo(request: ApiRequest): readonly Call[] {
  const tools = (request.tools ?? []).map(({ name }) => name).filter((name) => !mayRun.has(name))
  return tools.flatMap((name) =>
    malformed.map((rawInput, index) => ({ name, id: `${name}_${index}`, input: {}, rawInput })),
  )
}

it('more than 200 malformed calls in one turn each get an error that says what was wrong, and nothing changes', {
  timeout: 60_000,
}, async () => {
  const { run, thread, project, server } = await openWorld(everyTool, { files: { 'a.txt': 'one\n' } })
  const id = await run('main')
  const calls = [...thread(id).calls.values()]
  expect(calls.length).toBeGreaterThan(200)
  expect(calls.filter((call) => resultOf(call)?.outcome !== 'error').map(({ callId }) => callId)).toEqual([])
  expect(thread(id)).toMatchObject({ status: 'done', interrupts: [] })
  const changes = project.services.log
    .entries()
    .filter(({ type }) => type === 'tree.changed' || type === 'branch.merged')
  expect(changes).toEqual([])
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
  const results = server.requests.at(-1)?.messages.at(-1)?.content as readonly { content: unknown }[]
  expect(results.length, 'each call has its result').toBe(calls.length)
  expect(Math.max(...results.map(({ content }) => JSON.stringify(content).length)), 'each error is short').toBeLessThan(
    2000,
  )
})
