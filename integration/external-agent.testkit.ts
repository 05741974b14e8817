/** What the agents here have in common: they speak both protocols by hand, and stand alone, since they run in the sandbox. */
const spoken = String.raw`
import { appendFileSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { execSync, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
const waiting = new Map()
let asked = 1000
const ask = (method, params) => new Promise((resolve) => { waiting.set(++asked, resolve); send({ id: asked, method, params }) })
const update = (sessionId, one) => send({ method: 'session/update', params: { sessionId, update: one } })
let servers = []
let server
function openServer() {
  const child = spawn(servers[0].command, servers[0].args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = new Map()
  let last = 0
  createInterface({ input: child.stdout }).on('line', (line) => { const { id, result, error } = JSON.parse(line); answers.get(id)?.(result ?? { isError: true, content: [{ type: 'text', text: error?.message }] }) })
  const tell = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
  const request = (method, params) => new Promise((resolve) => { answers.set(++last, resolve); tell({ id: last, method, params }) })
  const hello = request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'scripted', version: '1' } }).then(() => tell({ method: 'notifications/initialized' }))
  return { request: async (method, params) => { await hello; return request(method, params) }, cancel: () => tell({ method: 'notifications/cancelled', params: { requestId: last } }) }
}
const use = async ({ name, args }) => {
  server ??= openServer()
  const { content, isError } = await server.request('tools/call', { name, arguments: args ?? {} })
  return (isError ? 'ERROR ' : '') + content.map(({ text }) => text).join('')
}
`

/**
 * An external agent that does what its message says: a list of steps in JSON. So it can also do what no library would let it
 * do.
 */
export const scriptedAgent = String.raw`
${spoken}
let cancelled = () => {}
const write = (path, text) => { mkdirSync(dirname(path), { recursive: true }); writeFileSync(path, text) }
const does = {
  write: ({ path, text }) => write(path, text),
  append: ({ path, text }) => appendFileSync(path, text),
  delete: ({ path }) => rmSync(path, { recursive: true }),
  rename: ({ path, to }) => renameSync(path, to),
  link: ({ path, to }) => linkSync(path, to),
  symlink: ({ path, to }) => symlinkSync(to, path),
  shell: ({ command }) => execSync(command, { encoding: 'utf8' }),
  read: ({ path }) => readFileSync(path, 'utf8'),
}
let calls = 0
if (process.env.GREETING) process.stdout.write(process.env.GREETING)
async function turn(sessionId, steps) {
  for (const step of steps) {
    if (step.say) update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: step.say } })
    if (step.think) update(sessionId, { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: step.think } })
    if (step.plan) update(sessionId, { sessionUpdate: 'plan', entries: step.plan.map(([content, status]) => ({ content, status, priority: 'medium' })) })
    if (step.raw) process.stdout.write(step.raw + '\n')
    if (step.stderr) process.stderr.write(step.stderr + '\n')
    if (step.exit !== undefined) process.exit(step.exit)
    if (step.flood) for (let n = 0; n < step.flood; n += 1) {
      update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: '.' } })
      update(sessionId, { sessionUpdate: 'plan', entries: [{ content: 'Step ' + (step.same ? 0 : n), status: 'pending', priority: 'low' }] })
      update(sessionId, { sessionUpdate: 'usage_update', used: n, size: 100, cost: { amount: 0.01, currency: 'USD' } })
      update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'flood', title: 'Flood', status: 'in_progress', content: [{ type: 'content', content: { type: 'text', text: 'x'.repeat(n % 100) } }] })
    }
    if (step.hang) { await new Promise((resolve) => { cancelled = resolve }); return 'cancelled' }
    if (step.asks) {
      const options = step.options ?? [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }]
      const told = await Promise.all(step.asks.map((toolCall) => ask('session/request_permission', { sessionId, toolCall, options })))
      update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: told.map(({ outcome }) => outcome.optionId ?? outcome.outcome).join(' ') } })
    }
    if (step.list) { server ??= openServer(); const { tools } = await server.request('tools/list'); update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: tools.map(({ name }) => name).join(' ') } }) }
    if (step.use) {
      const told = await Promise.all(step.use.map(use))
      update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: told.join('\n') } })
    }
    if (step.abandon) { void use(step.abandon); await new Promise((resolve) => setTimeout(resolve, 300)); server.cancel() }
    if (step.deaf) await new Promise(() => {})
    if (step.chosen) update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'with ' + Object.values(chosen).join(' ') } })
    if (step.end) return step.end
    if (step.fails) throw { code: -32603, message: step.fails }
    if (step.update) update(sessionId, step.update)
    if (step.beside) for (const one of step.beside) does[one.do](one)
    if (!step.do) continue
    const toolCallId = step.id ?? 'call-' + ++calls
    const kind = step.kind ?? ({ shell: 'execute', read: 'read', delete: 'delete', rename: 'move' }[step.do] ?? 'edit')
    const call = { toolCallId, title: step.title ?? step.do, kind, status: 'pending', rawInput: step, locations: step.locations?.map((path) => ({ path })) ?? [step.path, step.to].flatMap((path) => (path ? [{ path: process.cwd() + '/' + path }] : [])) }
    update(sessionId, { sessionUpdate: 'tool_call', ...call })
    if (step.ask) {
      const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }]
      const answered = ask('session/request_permission', { sessionId, toolCall: call, options })
      if (step.dies) setTimeout(() => process.exit(4))
      const { outcome } = await answered
      if (outcome.outcome !== 'selected' || outcome.optionId !== 'yes') {
        update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' })
        continue
      }
    }
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' })
    if (step.never) { await new Promise((resolve) => { cancelled = resolve }); return 'cancelled' }
    let text, status = 'completed'
    try { text = does[step.do](step) ?? '' } catch (error) { text = String(error.message); status = 'failed' }
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status, content: [{ type: 'content', content: { type: 'text', text: String(text) } }] })
  }
  return 'end_turn'
}
const sessions = process.env.SESSIONS
const options = Object.entries(JSON.parse(process.env.OPTIONS ?? '{}'))
const chosen = Object.fromEntries(options.map(([id, values]) => [id, values[0]]))
const configOptions = () => options.map(([id, values]) => ({ id, category: id, name: id, type: 'select', currentValue: chosen[id], options: values.map((value) => ({ value, name: 'The ' + value })) }))
const offers = () => (options.length > 0 ? { configOptions: configOptions() } : {})
const handlers = {
  initialize: () => ({ protocolVersion: Number(process.env.PROTOCOL ?? 1), agentInfo: { name: 'scripted', version: '1.0' }, agentCapabilities: { loadSession: Boolean(sessions) }, authMethods: process.env.LOGIN ? [{ id: 'one', name: 'Log in', type: 'terminal', args: ['login', '--now'] }] : [] }),
  'session/new': ({ mcpServers }) => { servers = mcpServers; if (process.env.LOGIN) throw { code: -32000, message: 'Authentication required' }; return { sessionId: 'session-' + process.pid + '-' + Date.now(), ...offers() } },
  'session/load': ({ mcpServers }) => { servers = mcpServers; return offers() },
  'session/set_config_option': ({ configId, value }) => { chosen[configId] = value; return offers() },
  async 'session/prompt'({ sessionId, prompt }) {
    if (process.env.COMMANDS) update(sessionId, { sessionUpdate: 'available_commands_update', availableCommands: process.env.COMMANDS.split(' ').map((name) => ({ name, description: 'Does ' + name })) })
    const text = prompt.map((part) => part.text ?? part.type + ' ' + part.name + ' ' + part.uri?.slice(8 + process.cwd().length)).join('\n')
    const last = prompt.at(-1).text ?? ''
    if (!last.startsWith('STEPS ')) { update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'heard: ' + text } }); return { stopReason: 'end_turn' } }
    return { stopReason: await turn(sessionId, JSON.parse(last.slice(6))) }
  },
}
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === 'session/cancel') return cancelled()
  if (method === undefined) { waiting.get(id)?.(result); return }
  const handler = handlers[method]
  if (id === undefined) return
  if (!handler) return send({ id, error: { code: -32601, message: 'unknown method ' + method } })
  try { send({ id, result: await handler(params) }) } catch (error) { send({ id, error }) }
})
`

/**
 * An external agent that does whatever its model says, and asks nobody. Each message is a conversation of its own. It has
 * hands of its own for commands and files of the project, and calls the tools of the app by their names.
 */
export const obeyingAgent = String.raw`
${spoken}
const inProject = (path) => process.cwd() + path
const hands = {
  execute: ({ command }) => execSync(command + ' 2>&1', { encoding: 'utf8', timeout: 20_000 }),
  read_file: ({ file_path }) => readFileSync(inProject(file_path), 'utf8'),
  write_file: ({ file_path, content }) => { mkdirSync(dirname(inProject(file_path)), { recursive: true }); writeFileSync(inProject(file_path), content); return 'Written.' },
}
const attempt = async ({ name, input }) => {
  // Memories are no files of its view.
  if (!hands[name] || input.file_path?.startsWith('/memories/')) return use({ name, args: input })
  try { return hands[name](input) } catch (error) { return 'ERROR ' + error.message + (error.stdout ?? '') }
}
const think = async (messages) => {
  const response = await fetch(process.env.MODEL_URL + '/v1/messages', { method: 'POST', body: JSON.stringify({ model: 'obeying', messages }) })
  const content = []
  for (const line of (await response.text()).split('\n').filter((one) => one.startsWith('data: '))) {
    const { type, index, content_block, delta } = JSON.parse(line.slice(6))
    if (type === 'content_block_start') content[index] = { ...content_block, json: '' }
    if (delta?.type === 'text_delta') content[index].text += delta.text
    if (delta?.type === 'input_json_delta') content[index].json += delta.partial_json
  }
  return content.map(({ json, ...block }) => (block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block))
}
async function obey(sessionId, text) {
  const messages = [{ role: 'user', content: [{ type: 'text', text }] }]
  for (;;) {
    const content = await think(messages)
    messages.push({ role: 'assistant', content })
    for (const block of content) if (block.type === 'text') update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: block.text } })
    const calls = content.filter(({ type }) => type === 'tool_use')
    if (calls.length === 0) return 'end_turn'
    const results = []
    for (const call of calls) results.push({ type: 'tool_result', tool_use_id: call.id, content: String(await attempt(call)) })
    messages.push({ role: 'user', content: results })
  }
}
const handlers = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'obeying', version: '1.0' }, agentCapabilities: {}, authMethods: [] }),
  'session/new': ({ mcpServers }) => { servers = mcpServers; return { sessionId: 'session-' + process.pid } },
  'session/prompt': async ({ sessionId, prompt }) => ({ stopReason: await obey(sessionId, prompt.at(-1).text) }),
}
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined && method !== undefined) send({ id, result: await handlers[method](params) })
})
`

/** The message that has the scripted agent do these steps. */
export function told(steps: readonly object[] | string): string {
  return typeof steps === 'string' ? steps : `STEPS ${JSON.stringify(steps)}`
}
