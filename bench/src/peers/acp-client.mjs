// A client of the Agent Client Protocol that has an agent do one task and allows whatever it asks: the least that an editor
// does. Arguments: the task, the agent's program, its arguments.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [task, program, ...args] = process.argv.slice(2)
const agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
let asked = 0

function send(message) {
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function ask(method, params) {
  const { promise, resolve } = Promise.withResolvers()
  asked += 1
  waiting.set(asked, resolve)
  send({ id: asked, method, params })
  return promise
}

createInterface({ input: agent.stdout }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line)
  if (method === 'session/request_permission') {
    const { optionId } = params.options.find(({ kind }) => kind === 'allow_once')
    send({ id, result: { outcome: { outcome: 'selected', optionId } } })
  } else if (method === undefined) {
    if (error) throw new Error(JSON.stringify(error))
    waiting.get(id)?.(result)
  }
})
await ask('initialize', { protocolVersion: 1, clientCapabilities: {} })
const { sessionId } = await ask('session/new', { cwd: process.cwd(), mcpServers: [] })
await ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: task }] })
agent.kill()
