import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { byTask, type Call, callingInTurn } from '../e2e/model-server/scenario.ts'
import { openSandbox } from '../src/main/adapters/shell/open-sandbox.ts'
import { noSandbox, type Sandbox } from '../src/main/adapters/shell/sandbox.ts'
import { sandboxHere } from '../src/main/adapters/shell/sandbox-here.testkit.ts'
import { appendTo } from '../src/main/core/journal/project-log.testkit.ts'
import { openWorld, type WorldOptions } from './world.testkit.ts'

const { state } = await sandboxHere('places')

/** A sandbox that confines nothing, but counts as one, so that commands run without a person. */
async function pretended(): Promise<Sandbox> {
  return { ...noSandbox('pretended'), state: { state: 'on', reason: 'pretended' } }
}
/** `real` gives programs the paths of the file tools; otherwise only the variables name the places. */
const sandboxes = { real: () => openSandbox([]), none: pretended }
const kinds = state === 'on' ? (['real', 'none'] as const) : (['none'] as const)

const write = (path: string, content: string): Call => ({ name: 'write_file', input: { file_path: path, content } })
const read = (path: string): Call => ({ name: 'read_file', input: { file_path: path } })
const execute = (command: string): Call => ({ name: 'execute', input: { command } })
const python = (code: string): Call => ({ name: 'run_python_code', input: { code } })
const js = (code: string): Call => ({ name: 'run_js_code', input: { code } })

interface RunOptions extends Omit<WorldOptions, 'openSandbox'> {
  readonly sandbox?: keyof typeof sandboxes
  readonly prepare?: (world: Awaited<ReturnType<typeof openWorld>>, id: ThreadId) => void
}

/** An agent that makes these calls, one per turn. */
async function run(calls: readonly Call[], { sandbox = 'none', settings = {}, prepare, ...options }: RunOptions = {}) {
  const allowing = { interrupt_on: { execute: false }, ...settings }
  const world = await openWorld(callingInTurn(calls), {
    ...options,
    settings: allowing,
    openSandbox: sandboxes[sandbox],
  })
  const { runtime } = world.project
  const id = runtime.createThread({ title: 'main', model: 'scripted', approvalMode: 'auto' })
  prepare?.(world, id)
  runtime.send(id, [{ type: 'text', text: 'main' }], 'queue')
  await runtime.whenIdle(id)
  const results = [...world.thread(id).calls.values()].map((call) =>
    (resultOf(call)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join(''),
  )
  const { scratch } = world.project.services
  const stored = () => Object.fromEntries(scratch.list(id).map(({ name }) => [name, textOf(scratch.read(id, name))]))
  return { ...world, id, results, stored, last: results.at(-1) ?? '' }
}

function textOf(bytes: Uint8Array = new Uint8Array()): string {
  return new TextDecoder().decode(bytes)
}

/** The path of a place for commands. */
const at = (kind: keyof typeof sandboxes, name: string) =>
  kind === 'real' ? `/${name}` : `"$COPPICE_${name.toUpperCase()}"`

describe.each(kinds)('6a: with the sandbox %s, programs see what the file tools see', (sandbox) => {
  it('in commands, under the same paths or those of the variables, which are always set', async () => {
    const { results } = await run(
      [
        write('/inputs/x.json', '{"a": [1, 2]}'),
        write('/batch_results/1/results.jsonl', '{"index":0}\n'),
        write('/memories/style.md', 'Tabs.'),
        write('/conversation_history/t.md', 'said'),
        write('/large_tool_results/c.txt', 'large'),
        execute(`if command -v jq > /dev/null; then jq -c . ${at(sandbox, 'batch_results')}/1/results.jsonl
          else cat ${at(sandbox, 'batch_results')}/1/results.jsonl; fi
          cd /; cat ${at(sandbox, 'inputs')}/x.json ${at(sandbox, 'memories')}/style.md
          cat ${at(sandbox, 'conversation_history')}/t.md ${at(sandbox, 'large_tool_results')}/c.txt; echo
          set -u; cat "$COPPICE_INPUTS/x.json" "$COPPICE_MEMORIES/style.md" "$COPPICE_LARGE_TOOL_RESULTS/c.txt" \\
            "$COPPICE_CONVERSATION_HISTORY/t.md" "$COPPICE_BATCH_RESULTS/1/results.jsonl"`),
      ],
      { sandbox },
    )
    expect(results[5]).toBe(
      `{"index":0}\n{"a": [1, 2]}Tabs.saidlarge\n{"a": [1, 2]}Tabs.largesaid{"index":0}\n\n${results[5]?.slice(results[5].indexOf('Exit code'))}`,
    )
    expect(results[5]).toContain('Exit code 0.')
  })

  it('keeps what a command writes there, for the file tools and the next command', async () => {
    const { results, stored, fileOf, id } = await run(
      [
        write('/inputs/old', 'old'),
        execute(
          `cd ${at(sandbox, 'inputs')} && echo new > new.txt && mkdir -p deep/er && echo b > deep/er/b && rm old`,
        ),
        read('/inputs/deep/er/b'),
        execute(`cat ${at(sandbox, 'inputs')}/new.txt; ls ${at(sandbox, 'inputs')}`),
      ],
      { sandbox },
    )
    expect(results[1]).toContain('Changes: deleted /inputs/old, wrote /inputs/deep/er/b, wrote /inputs/new.txt.')
    expect(results[2]).toContain('b')
    expect(results[3]).toContain('new\ndeep\nnew.txt\n')
    expect(stored()).toEqual({ '/inputs/deep/er/b': 'b\n', '/inputs/new.txt': 'new\n' })
    expect(await fileOf(id, '/inputs/new.txt'), 'not in the project').toBe('')
  })

  it('refuses what the file tools refuse, names it, and keeps the rest of a command', async () => {
    const outside = '/etc/hostname'
    const { results, stored, fileOf, id } = await run(
      [
        write('/memories/style.md', 'Tabs.'),
        write('/inputs/kept', 'kept'),
        write('/inputs/.env', 'KEY=canary'),
        execute(`cd ${at(sandbox, 'inputs')}; ln -s ${outside} link; mkfifo pipe; echo K=1 > .env; echo L > locked; echo $'odd\\nname' > $'odd\\nname'
          printf 'x' > $'bad\\xff'; rm kept; ln -s /etc kept; echo fine > fine; cd "$OLDPWD"; echo own > own.txt
          echo hacked > ${at(sandbox, 'memories')}/style.md; echo new > ${at(sandbox, 'memories')}/new.md`),
        execute(`cat ${at(sandbox, 'memories')}/style.md; ls -A ${at(sandbox, 'inputs')}`),
        read('/memories/style.md'),
      ],
      { sandbox, settings: { permissions: { deny: ['Edit(inputs/locked)'] } } },
    )
    const [, , , report = ''] = results
    expect(report).toContain('"/inputs/link" (it is a link)')
    expect(report).toContain('"/inputs/pipe" (it is not a regular file)')
    for (const path of ['/inputs/.env', '/inputs/locked'])
      expect(report).toContain(`"${path}" (a rule protects it, or it may hold secrets`)
    expect(report).toContain('(it is a name that is not UTF-8)')
    expect(report).toContain('"/inputs/kept" (it is a link)')
    if (sandbox === 'real') expect(report).toContain('/memories/style.md: Read-only file system')
    else expect(report).toContain('"/memories/style.md" (programs may only read this place; use the file tools)')
    expect(results[4]).toMatch(/^Tabs\.fine\nkept\nodd/)
    expect(results[5]).toContain('Tabs.')
    expect(stored()).toEqual({
      '/inputs/.env': 'KEY=canary',
      '/inputs/fine': 'fine\n',
      '/inputs/kept': 'kept',
      '/inputs/odd\nname': 'odd\nname\n',
    })
    expect(await fileOf(id, '/own.txt')).toBe('own\n')
  })

  it('refuses a file of 1 GB, without reading it', async () => {
    const { results, stored } = await run(
      [execute(`cd ${at(sandbox, 'inputs')}; truncate -s 1G big || head -c 1G /dev/zero > big; echo small > small`)],
      { sandbox },
    )
    expect(results[0]).toContain('"/inputs/big" (it is beyond the 64 MB')
    expect(stored()).toEqual({ '/inputs/small': 'small\n' })
  })

  it('has no files that the agent may not read, and no memories that are switched off', async () => {
    const files = [
      write('/inputs/secret/a', 'canary'),
      write('/inputs/open', 'open'),
      write('/memories/private.md', 'canary'),
      write('/memories/public.md', 'note'),
    ]
    const { last } = await run(
      [
        ...files,
        execute(`cd /; cat ${at(sandbox, 'inputs')}/open; ls -AR ${at(sandbox, 'inputs')} ${at(sandbox, 'memories')}`),
      ],
      {
        sandbox,
        settings: { permissions: { deny: ['Read(inputs/secret/**)', 'Read(memories/private.md)'] } },
      },
    )
    expect(last).toMatch(/^open/)
    expect(last).toContain('public.md')
    expect(last).not.toMatch(/secret|private|canary/)
    const switchedOff = await run([execute(`ls -A ${at(sandbox, 'memories')}; echo end`)], {
      sandbox,
      prepare: ({ project }, id) => {
        const { log } = project.services
        const memory = {
          type: 'memory.written',
          name: 'm.md',
          text: 'canary',
          agent: null,
          callId: null,
          restores: null,
        }
        appendTo(log, [{ ...memory, type: 'memory.written', threadId: id }])
        appendTo(log, [
          { type: 'thread.configured', threadId: id, model: 'scripted', approvalMode: 'auto', memory: false },
        ])
      },
    })
    expect(switchedOff.last).toMatch(/^end\n/)
  })

  it('uses the prefixes in use when the project has the usual names itself', async () => {
    const { results, stored } = await run(
      [
        write('/inputs-1/a', 'scratch'),
        execute(
          `cat inputs/own "$COPPICE_INPUTS/a" ${sandbox === 'real' ? '/inputs-1/a' : ''}; echo b > "$COPPICE_INPUTS/b"`,
        ),
      ],
      { sandbox, files: { 'inputs/own': 'project' } },
    )
    expect(results[1]).toMatch(sandbox === 'real' ? /^projectscratchscratch/ : /^projectscratch/)
    expect(stored()).toEqual({ '/inputs-1/a': 'scratch', '/inputs-1/b': 'b\n' })
  })
})

describe('6b: code sees the same places', () => {
  it('Python reads and changes them, and the memories are read-only', async () => {
    const { results, stored } = await run([
      write('/inputs/x.json', '{"a": [1, 2]}'),
      write('/memories/style.md', 'Tabs.'),
      python(`import json, pathlib
inputs_file = "/inputs/x.json"
data = json.loads(pathlib.Path(inputs_file).read_text())
pathlib.Path('/inputs/out.json').write_text(json.dumps(data['a']))
[data['a'], pathlib.Path('/memories/style.md').read_text(), [str(path) for path in pathlib.Path('/inputs').iterdir()]]`),
      python(`open('/memories/style.md', 'w').write('hacked')`),
      read('/memories/style.md'),
      python(`open('/inputs/out.json').read()`),
    ])
    expect(JSON.parse(results[2] ?? '')).toMatchObject({
      ok: true,
      value: [[1, 2], 'Tabs.', ['/inputs/out.json', '/inputs/x.json']],
      note: '1 file changed.',
    })
    expect(results[3]).toContain('Read-only file system')
    expect(results[4]).toContain('Tabs.')
    expect(JSON.parse(results[5] ?? '')).toMatchObject({ value: '[1, 2]' })
    expect(stored()).toMatchObject({ '/inputs/out.json': '[1, 2]' })
  })

  it('Python keeps nothing of a run that writes a file it may not write, or that fails', async () => {
    const calls = [
      write('/inputs/a', 'a'),
      python(`open('/inputs/a', 'w').write('b')\nopen('/new', 'w').write('x')\nopen('/inputs/locked', 'w').write('l')`),
      python(`open('/inputs/a', 'w').write('b')\nopen('/inputs/new', 'w').write('c')\n1 / 0`),
      python(`open('/inputs/a').read()`),
    ]
    const settings = { permissions: { deny: ['Edit(inputs/locked)'] } }
    const { results, stored, fileOf, id } = await run(calls, { settings })
    expect(results[1]).toContain('None of the run’s changes were kept')
    expect(results[2]).toContain('ZeroDivisionError')
    expect(JSON.parse(results[3] ?? '')).toMatchObject({ value: 'a' })
    expect(stored()).toEqual({ '/inputs/a': 'a' })
    expect(await fileOf(id, '/new')).toBe('')
  })

  it('JavaScript reads them through its bridge', async () => {
    const { last } = await run([
      write('/inputs/x.json', '{"a":1}'),
      write('/memories/m.md', 'note'),
      js(
        `return [JSON.parse(await fs.read('/inputs/x.json')).a, await fs.read('/memories/m.md'), await fs.list('/inputs')]`,
      ),
    ])
    expect(JSON.parse(last)).toMatchObject({ ok: true, value: [1, 'note', ['x.json']] })
  })
})

describe('6c: places belong to the family', () => {
  it('a skill of the user is there, with its files, for commands and code', async () => {
    const calls = [
      execute('cat "$COPPICE_INPUTS/skills/demo/data.csv"'),
      python(`open('/inputs/skills/demo/data.csv').read()`),
    ]
    const { results } = await run(calls, {
      prepare: ({ data }) => {
        const folder = join(data, 'skills', 'demo')
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, 'SKILL.md'), '---\nname: demo\ndescription: A demo.\n---\nUse it.\n')
        writeFileSync(join(folder, 'data.csv'), 'a,b\n')
      },
    })
    expect(results[0]).toMatch(/^a,b\n/)
    expect(JSON.parse(results[1] ?? '')).toMatchObject({ value: 'a,b\n' })
  })

  it('a subagent finds what its parent put there, and the parent what the subagent left', async () => {
    const scenario = byTask({
      main: [
        { calls: [{ ...write('/inputs/x', 'from the parent'), id: 'w' }] },
        { calls: [{ name: 'task', id: 't', input: { description: 'child' } }] },
        { calls: [{ ...execute('cat "$COPPICE_INPUTS/y"'), id: 'e' }] },
      ],
      child: [
        { calls: [{ ...execute('cat "$COPPICE_INPUTS/x"; echo from the child > "$COPPICE_INPUTS/y"'), id: 'c' }] },
      ],
    })
    const settings = { interrupt_on: { execute: false } }
    const world = await openWorld(scenario, { settings, openSandbox: pretended })
    const id = await world.run('main', 'auto')
    const [child] = childrenOf(world.project.services.log.state, id)
    const text = (thread: ThreadState | undefined, call: string) =>
      JSON.stringify(resultOf(thread?.calls.get(call as ToolCallId))?.content)
    expect(text(child, 'c')).toContain('from the parent')
    expect(text(world.thread(id), 'e')).toContain('from the child')
  })

  it('a result that was too large for the conversation is there for the next command', async () => {
    const { results } = await run([execute('seq 100000'), execute('head -n 1 "$COPPICE_LARGE_TOOL_RESULTS/c0.txt"')])
    expect(results[0]).toContain('/large_tool_results/c0.txt')
    expect(results[1]).toMatch(/^1\n/)
  })
})
