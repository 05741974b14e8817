import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { callingInTurn, type Scenario, turnOf } from '../../e2e/model-server/scenario.ts'
import { certificateFor } from '../../src/main/adapters/shell/registries/registry-server.testkit.ts'
import { applyOutgoing } from '../../src/main/adapters/system/outgoing/outgoing.ts'
import { coppice } from './coppice.testkit.ts'

const scratch = mkdtempSync(join(tmpdir(), 'coppice-models-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0

/** A project and a data folder of their own, with these settings. */
function place(settings: object) {
  count += 1
  const [project, data] = [join(scratch, `project-${count}`), join(scratch, `data-${count}`)]
  mkdirSync(project)
  mkdirSync(data)
  writeFileSync(join(project, 'sum.js'), 'export const sum = (a, b) => a - b\n')
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  return { project, data, common: ['--json', '--data-dir', data] }
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())

const canary = 'canary-5ecret-of-a-profile'
/** Looks for the key wherever a command may look, and says how often it found it. */
const search = `{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; } 2>/dev/null | tr '\\0' '\\n' | grep -c "5ecret[-]of"; true`

const ways: readonly (readonly [string, object, Record<string, string>])[] = [
  ['a variable', { scheme: 'bearer', env: 'GATE_TOKEN' }, { GATE_TOKEN: canary }],
  ['the variable of a preset', {}, { OPENROUTER_API_KEY: canary }],
  ['a command', { command: ['cat', join(scratch, 'secret')] }, {}],
  ['the key store', { key: 'gate' }, {}],
]

for (const [way, auth, environment] of ways) {
  it(`a key from ${way} reaches the server, and nothing else`, async () => {
    writeFileSync(join(scratch, 'secret'), canary)
    const seen: string[] = []
    await using server = await startModelServer((request, from) => {
      // A refusal that repeats the key must not bring it into an error.
      if (from.tries === 0 && turnOf(request) === 0 && from.count === 0)
        return { fault: { kind: 'status', status: 429, body: `{"error":{"message":"Slow down, ${canary}."}}` } }
      return callingInTurn([{ name: 'execute', input: { command: search } }])(request, from)
    })
    server.onHeaders((headers) => seen.push(JSON.stringify(headers)))
    const preset = way === 'the variable of a preset' ? { preset: 'openrouter' } : {}
    const { project, data, common } = place({
      providers: { gate: { ...preset, base_url: server.url, auth } },
      retry: { base_delay_ms: 1 },
    })
    const keyFile = join(data, `key-${Buffer.from('gate').toString('hex')}`)
    if (way === 'the key store') writeFileSync(keyFile, canary, { mode: 0o600 })
    const record = join(data, 'run.jsonl')
    const run = await coppice(
      ['run', project, '--task', 'look', '--model', 'gate/m1', '--approve', 'all', '--record', record, ...common],
      environment,
    )
    expect(run.code, run.stderr).toBe(0)
    expect(seen.every((headers) => headers.includes(canary))).toBe(true)
    const result = run.events.find(({ type, name }) => type === 'tool.finished' && name === 'execute')
    expect(JSON.stringify(result)).toMatch(/"0\\n/)
    const last = String(run.events.at(-1)?.threadId)
    const outputs = await Promise.all(
      [
        ['--transcript', '-'],
        ['--journal', '-'],
        ['--record', join(data, 'export.jsonl')],
      ].map((flags) => coppice(['export', last, ...flags, '--data-dir', data], environment)),
    )
    const said = [run, ...outputs].flatMap(({ stdout, stderr }) => [stdout, stderr]).join('\n')
    expect(said).toContain('Slow down')
    expect(said).not.toContain('5ecret-of')
    const holding = filesBelow(data).filter((path) => readFileSync(path).includes('5ecret-of'))
    expect(holding).toEqual(way === 'the key store' ? [keyFile] : [])
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain('5ecret-of')
  })
}

it('what cannot work is said with the next step, before anything is asked', async () => {
  const { project, common } = place({
    providers: {
      gate: { base_url: 'http://127.0.0.1:1', auth: { env: 'NOT_SET' } },
      bad: { preset: 'nope' },
      broken: { base_url: 'http://127.0.0.1:1', auth: { command: 'exit 7' } },
      cloud: { kind: 'vertex', region: 'europe-west1', project: 'p' },
    },
    retry: { attempts: 1 },
  })
  const ask = async (model: string) => {
    const run = await coppice(['run', project, '--task', 'look', '--model', model, ...common])
    return [run.code, run.stderr + JSON.stringify(run.events.at(-1))] as const
  }
  expect(await ask('gat/m1')).toEqual([
    1,
    expect.stringMatching(/there is no profile \\?"gat\\?"\. Profiles: anthropic, gate/),
  ])
  expect(await ask('gate/m1')).toEqual([1, expect.stringContaining('takes its key from NOT_SET, which is not set')])
  expect(await ask('broken/m1')).toEqual([
    1,
    expect.stringMatching(/command that prints the key of broken ended with 7/),
  ])
  expect((await ask('gate/m1'))[1]).toContain('providers: bad names the preset \\"nope\\"'.replaceAll('\\"', '"'))
})

it('a model that is overloaded is replaced until the run ends, and the run says so', async () => {
  const scenario: Scenario = (request, seen) =>
    request.model === 'm1'
      ? { fault: { kind: 'status', status: 529 } }
      : callingInTurn([
          { name: 'edit_file', input: { file_path: '/sum.js', old_string: 'a - b', new_string: 'a + b' } },
        ])(request, seen)
  await using server = await startModelServer(scenario)
  const { project, common } = place({
    providers: {
      gate: { base_url: server.url, auth: { scheme: 'none' } },
      spare: { kind: 'openai', base_url: `${server.url}/v1`, auth: { scheme: 'none' } },
    },
    ...{ default_provider: 'gate', model: 'm1', fallback: ['spare/m2'], retry: { base_delay_ms: 1 } },
  })
  const run = await coppice(['run', project, '--task', 'fix', ...common])
  expect(run.code, run.stderr).toBe(0)
  expect(run.events.filter(({ type }) => type === 'model.fell_back')).toMatchObject([
    { from: 'gate/m1', to: 'spare/m2' },
  ])
  expect(server.requests.map(({ model }) => model)).toEqual(['m1', 'm1', 'm1', 'm2', 'm2'])
  expect(run.events.at(-1)).toMatchObject({ status: 'done', changes: { written: ['/sum.js'] } })
})

it('doctor names each profile and asks nobody', async () => {
  const { data } = place({
    providers: { gate: { base_url: 'http://127.0.0.1:1', auth: { env: 'NOT_SET' } }, home: { preset: 'ollama' } },
  })
  const { stdout } = await coppice(['doctor', '--data-dir', data])
  expect(stdout).toMatch(/Profile gate.*NOT_SET/)
  expect(stdout).toMatch(/Profile home.*anthropic at http:\/\/127\.0\.0\.1:11434, no key needed/)
})

it('top_p and top_k go to the model, and what a model does not take is said once', async () => {
  const bodies: string[] = []
  await using server = await startModelServer((request, { count }) => {
    bodies.push(JSON.stringify(request))
    return count === 1
      ? {
          fault: { kind: 'status', status: 400, body: '{"error":{"message":"top_k: Extra inputs are not permitted"}}' },
        }
      : { text: 'Done.' }
  })
  const models = { plain: { top_p: false, top_k: false } }
  const { project, common } = place({
    providers: { gate: { base_url: server.url, auth: { env: 'GATE_TOKEN' }, models } },
    top_p: 0.9,
    top_k: 40,
  })
  const run = (model: string) =>
    coppice(['run', project, '--task', 'x', '--model', model, ...common], { GATE_TOKEN: 'x' })
  const said = async (model: string) => (await run(model)).stderr.match(/.*left out.*/g) ?? []
  expect(await said('gate/plain')).toEqual([expect.stringMatching(/top_p and top_k are left out, because gate\/plain/)])
  expect(bodies[0]).not.toMatch(/top_[pk]/)
  expect(await said('gate/full')).toEqual([expect.stringMatching(/top_k is left out, because gate\/full/)])
  expect(bodies.slice(1).map((body) => [body.includes('"top_p":0.9'), body.includes('"top_k":40')])).toEqual([
    [true, true],
    [true, false],
  ])
})

it.each([
  [407, 'asks for a login, or refuses the one that it got'],
  [403, 'does not let Coppice reach models.example'],
])('a proxy that answers %i is not asked again, named, and told from the server', async (status, says) => {
  let asked = 0
  const proxy = createServer()
  proxy.on('connect', (_, socket) => {
    asked += 1
    socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const { project, common } = place({ providers: { gate: { base_url: 'https://models.example', auth: { env: 'T' } } } })
  using _ = applyOutgoing({ HTTPS_PROXY: address.replace('//', '//me:pass5ecret@') })
  const run = await coppice(['run', project, '--task', 'x', '--model', 'gate/m1', ...common], { T: 'x' })
  proxy.close()
  // Once for the list of models, once for the task.
  expect([run.code, run.events.at(-1)?.reason, asked]).toEqual([1, 'model_error', 2])
  expect(run.events.at(-1)?.message).toContain(`the proxy ${address} ${says} (HTTP ${status})`)
  expect(run.stdout + run.stderr).not.toContain('pass5ecret')
})

it('a certificate that nobody here knows is named as that, and the server is not asked again', async () => {
  let connected = 0
  const server = createSecureServer(await certificateFor('localhost'), (_, answer) => answer.end())
  server.on('connection', () => {
    connected += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `https://localhost:${(server.address() as AddressInfo).port}`
  const { project, common } = place({ providers: { gate: { base_url: address, auth: { env: 'T' } } } })
  const run = await coppice(['run', project, '--task', 'x', '--model', 'gate/m1', ...common], { T: 'x' })
  server.close()
  expect([run.code, run.events.at(-1)?.reason]).toEqual([1, 'model_error'])
  expect(run.events.at(-1)?.message).toMatch(
    /could not be reached: its certificate is signed by somebody whom this machine does not know .*NODE_EXTRA_CA_CERTS/,
  )
  // For the list of models and for the task: once, and once more when the system's certificates were read.
  expect(connected).toBeLessThan(5)
})
