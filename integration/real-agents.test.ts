import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { emptyTree } from '#overlay'
import { checkpointRows } from '#shared/model/derived/checkpoints.ts'
import { type Call, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { folderHash } from '../e2e/support/folder-hash.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { exportPatch } from '../src/main/host/changes/export-patch.ts'
import { proposedDefinition } from '../src/main/host/extensions/known-agents.ts'
import { rewindTo } from '../src/main/host/testing/person.testkit.ts'
import { openWorld } from './world.testkit.ts'

const packages = join(import.meta.dirname, '../bench/agents/node_modules')
const sandbox = await openSandbox([])
const isConfined = sandbox.state.state === 'on'
await sandbox[Symbol.asyncDispose]()

/** An agent that people have, what is added to the definition that is proposed for it, and how its model calls its tools. */
interface RealAgent {
  readonly name: string
  readonly program: string
  /** One of its own models, by the agent's id for it, that is not the one that it would take. */
  readonly model: string
  /** The proposed definition's own variables are given. */
  readonly env: (url: string, proposed: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  /** Whether the variables of the proposed definition have done what they are for. `requests`: all that it sent, as JSON. */
  readonly obeys?: (requests: string) => boolean
  readonly edit: (path: string, before: string, after: string) => Call
  readonly write: (path: string, text: string) => Call
  readonly command: (line: string) => Call
}

const claude: RealAgent = {
  name: 'claude',
  model: 'haiku',
  program: join(packages, '.bin/claude-agent-acp'),
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-test',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  obeys: (requests) => !requests.includes('SUGGESTION MODE'),
  edit: (path, before, after) => ({ name: 'Edit', input: { file_path: path, old_string: before, new_string: after } }),
  write: (path, text) => ({ name: 'Write', input: { file_path: path, content: text } }),
  command: (command) => ({ name: 'Bash', input: { command, description: 'A command' } }),
}

const opencode: RealAgent = {
  name: 'opencode',
  model: 'anthropic/claude-haiku-4-5',
  program: join(packages, 'opencode-linux-x64/bin/opencode'),
  env: (url) => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      ...{ autoupdate: false, share: 'disabled', permission: { edit: 'ask', bash: 'ask' } },
      model: 'anthropic/claude-sonnet-4-5',
      provider: {
        anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'sk-test' }, models: { 'claude-sonnet-4-5': {} } },
      },
    }),
  }),
  edit: (path, before, after) => ({ name: 'edit', input: { filePath: path, oldString: before, newString: after } }),
  write: (path, text) => ({ name: 'write', input: { filePath: path, content: text } }),
  command: (command) => ({ name: 'bash', input: { command, description: 'A command' } }),
}

/** Its own sandbox cannot start in ours: what it runs there fails, and a model then asks to run it without. */
const codex: RealAgent = {
  name: 'codex',
  model: 'gpt-5.5',
  program: join(packages, '.bin/codex-acp'),
  env: (url, { CODEX_CONFIG = '{}' }) => ({
    NO_BROWSER: '1',
    SCRIPTED_KEY: 'sk-test',
    CODEX_CONFIG: JSON.stringify({
      ...(JSON.parse(CODEX_CONFIG) as object),
      model_provider: 'scripted',
      model_providers: {
        scripted: { name: 'Scripted', base_url: `${url}/v1`, wire_api: 'responses', env_key: 'SCRIPTED_KEY' },
      },
    }),
  }),
  obeys: (requests) => requests.includes('Run each command with sandbox_permissions'),
  edit: (path, before, after) => ({
    name: 'apply_patch',
    input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch`,
  }),
  write: (path, text) => ({
    name: 'apply_patch',
    input: `*** Begin Patch\n*** Add File: ${path}\n+${text.trimEnd()}\n*** End Patch`,
  }),
  command: (cmd) => ({
    name: 'exec_command',
    input: { cmd, sandbox_permissions: 'require_escalated', justification: 'May it run?' },
  }),
}

const gemini: RealAgent = {
  name: 'gemini',
  // The one that it would take is another one for each request, and which it asks a model first.
  model: 'gemini-2.5-pro',
  program: join(packages, '.bin/gemini'),
  env: (url) => ({ GEMINI_API_KEY: 'sk-test', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: 'true' }),
  edit: (path, before, after) => ({
    name: 'replace',
    input: { file_path: path, old_string: before, new_string: after, instruction: 'Changes it' },
  }),
  write: (path, text) => ({ name: 'write_file', input: { file_path: path, content: text } }),
  command: (command) => ({ name: 'run_shell_command', input: { command, description: 'A command' } }),
}

const files = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' }

async function open(agent: RealAgent) {
  const folderOf = { path: '' }
  /** Replies by the number of replies since the newest message of the person, whose first word names the script. */
  const scripts: Record<string, (path: (name: string) => string) => readonly Call[]> = {
    work: (path) => [
      ...[
        agent.command('cat a.txt'),
        agent.edit(path('a.txt'), 'one', 'changed'),
        agent.write(path('new.txt'), 'new\n'),
      ],
      agent.command('mv b.txt d.txt; rm c.txt; pwd'),
    ],
    more: (path) => [agent.write(path('later.txt'), 'later\n')],
    wait: () => [agent.command('touch before.txt; sleep 60')],
  }
  const scenario: Scenario = (request) => {
    if ((request.tools ?? []).length === 0) return { text: 'A title' }
    const said = request.messages.map(({ role, content }) => ({ role, text: JSON.stringify(content) }))
    const last = said.findLastIndex(({ role, text }) => role === 'user' && /SCRIPT \w+/.test(text))
    const script = /SCRIPT (\w+)/.exec(said[last]?.text ?? '')?.[1] ?? ''
    const turn = said.slice(last + 1).filter(({ role }) => role === 'assistant').length
    const call = scripts[script]?.((name) => join(folderOf.path, name))[turn]
    return call ? { calls: [{ ...call, id: `toolu_${script}_${turnOf(request)}` }] } : { text: `Done with ${script}.` }
  }
  const world = await openWorld(scenario, {
    files,
    openSandbox: () => openSandbox([]),
    settingsFor: (url) => {
      const { acp = '', env = {}, ...proposed } = proposedDefinition(agent.name) ?? {}
      const [, ...args] = acp.split(' ')
      const definition = {
        ...{ ...proposed, home: [], hosts: [], acp: [agent.program, ...args].join(' ') },
        ...{ local_ports: [Number(new URL(url).port)], env: { ...env, ...agent.env(url, env) } },
      }
      return { subagents: [definition] }
    },
  })
  folderOf.path = world.folder
  return world
}

const agents = [claude, opencode, codex, gemini]
const present = isConfined ? agents.filter(({ program }) => existsSync(program)) : []
const missing = agents.filter((agent) => !present.includes(agent)).map(({ name }) => name)
if (missing.length > 0)
  console.warn(`SKIPPED: ${missing.join(', ')}. Their packages are installed by npm ci --prefix bench/agents.`)

// A file without a test fails.
if (present.length === 0) it.skip('external agents are installed here')

describe.each(present)('$name as an external agent', { timeout: 120_000 }, (agent) => {
  it('edits, creates, deletes, renames and runs on its branch, asks, is stopped, goes on and is taken back', async () => {
    const world = await open(agent)
    const before = folderHash(world.folder)
    const { runtime, services } = world.project
    const asked: string[] = []
    /** Approves whatever the agent asks, until it asks no more. */
    const approveAll = async () => {
      await runtime.whenIdle(id)
      for (let open = world.thread(id).interrupts; open.length > 0; open = world.thread(id).interrupts) {
        const requests = open.flatMap(({ action_requests }) => action_requests)
        asked.push(...requests.map(({ name }) => name))
        world.decide(
          id,
          requests.map(({ callId }) => ({ type: 'approve', callId })),
        )
        await runtime.whenIdle(id)
      }
    }
    const say = async (text: string) => {
      runtime.send(id, [{ type: 'text', text }], 'queue')
      await approveAll()
    }
    const content = [{ type: 'text', text: 'SCRIPT work' }] as const
    const options = {
      title: 'job',
      model: `agent/${agent.name}/${agent.model}`,
      approvalMode: 'ask',
      effort: 'low',
    } as const
    const id = runtime.begin(options, () => content)
    await approveAll()
    expect(world.thread(id).end).toMatchObject({ status: 'done' })
    expect(asked).toContain('agent_command')
    const state = async () => Promise.all(['a', 'b', 'c', 'd', 'new'].map((name) => world.fileOf(id, `/${name}.txt`)))
    expect(await state()).toEqual(['changed\n', '', '', 'two\n', 'new\n'])

    await say('SCRIPT more')
    expect(await world.fileOf(id, '/later.txt')).toBe('later\n')
    const past = services.log.state.past.threads.get(id)
    const to = (past ? checkpointRows(past) : []).findLast(({ mark }) => mark.kind === 'message')?.to ?? 0
    await rewindTo(world.project, { threadId: id, to, files: true, conversation: true })
    expect(await world.fileOf(id, '/later.txt')).toBe('')

    runtime.send(id, [{ type: 'text', text: 'SCRIPT wait' }], 'queue')
    await eventually(() => expect(world.thread(id).interrupts.length).toBeGreaterThan(0))
    const [waiting] = world.thread(id).interrupts.flatMap(({ action_requests }) => action_requests)
    if (waiting) world.decide(id, [{ type: 'approve', callId: waiting.callId }])
    await eventually(() => expect(world.thread(id).calls.get(waiting?.callId ?? ('' as never))?.startedAt).toBeTruthy())
    runtime.stop(id)
    await runtime.whenIdle(id)
    expect(world.thread(id).end).toMatchObject({ status: 'stopped' })

    await say('SCRIPT nothing')
    expect(await state()).toEqual(['changed\n', '', '', 'two\n', 'new\n'])
    expect(folderHash(world.folder)).toEqual(before)
    const tree = services.log.trees.heads.get(world.thread(id).branchId) ?? emptyTree
    const patch = join(mkdtempSync(join(tmpdir(), 'coppice-patch-')), 'work.patch')
    writeFileSync(patch, (await exportPatch(world.project, tree, null)).bytes)
    execFileSync('git', ['apply', patch], { cwd: world.folder })
    const wantedModel = agent.model.slice(agent.model.lastIndexOf('/') + 1)
    const worked = world.server.requests.filter(({ tools = [] }) => tools.length > 0)
    expect(worked.map(({ model }) => model)).toEqual(worked.map(() => expect.stringContaining(wantedModel)))
    expect(agent.obeys?.(JSON.stringify(world.server.requests)) ?? true).toBe(true)
    // Whether the command that was stopped came so far is nobody's promise.
    rmSync(join(world.folder, 'before.txt'), { force: true })
    const wanted = mkdtempSync(join(tmpdir(), 'coppice-wanted-'))
    for (const [name, text] of Object.entries({ a: 'changed', d: 'two', new: 'new' }))
      writeFileSync(join(wanted, `${name}.txt`), `${text}\n`)
    expect(folderHash(world.folder, { times: false })).toBe(folderHash(wanted, { times: false }))
  })
})
