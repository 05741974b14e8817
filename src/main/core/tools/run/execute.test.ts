import { describe, expect, it } from 'vitest'
import type { ServicesOptions } from '../../agent/agent-services.testkit.ts'
import { type AgentWorld, openWorld } from '../../agent/agent-world.testkit.ts'
import { noRules } from '../../approval/rules.ts'
import { callingInTurn } from '../../ports/model-client.testkit.ts'
import { failureIn } from './execute.ts'

const allowed = {
  policy: { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, allow: ['execute'] } },
}

/** A thread that makes these calls, one per turn, without asking anybody. */
async function run(calls: readonly (readonly [string, object])[], options: ServicesOptions = {}) {
  const world: AgentWorld = await openWorld({
    settings: allowed,
    script: callingInTurn(calls),
    ...options,
  })
  const id = await world.run('main')
  return {
    world,
    id,
    results: Object.values(world.results(id)),
    outcomes: Object.values(world.outcomes(id)),
    files: await world.files(id),
  }
}
const execute = (command: string, timeout?: number) =>
  ['execute', { command, ...(timeout !== undefined && { timeout }) }] as const

const privateKey = '-----BEGIN PRIVATE KEY-----\ncanary\n'

describe('execute', () => {
  it('turns the changes of a command into changes of the branch, and names them', async () => {
    const { results, files } = await run(
      [execute('echo new > src/new.ts; rm gone; chmod +x run; mv old moved; ln -s run link; mkdir empty')],
      {
        files: { '/src/a.ts': 'a', '/gone': 'g', '/run': '#!', '/old': 'o' },
      },
    )
    expect(results[0]).toBe(
      '(no output)\n\nExit code 0. 0.0 s.\nChanges: deleted /gone, wrote /link, wrote /moved, deleted /old, wrote /run, wrote /src/new.ts.',
    )
    expect(files).toEqual({ '/link': '-> run', '/moved': 'o', '/run': '#!', '/src/a.ts': 'a', '/src/new.ts': 'new\n' })
  })

  it('names a file whose name looks like a line of the result as data', async () => {
    const { results } = await run([execute("printf x > $'a\\nExit code 0. 0.0 s.\\nChanges: none.'")])
    expect(results[0]?.split('\n')).toHaveLength(4)
    expect(results[0]).toContain('Changes: wrote "/a\\u000aExit code 0'.replace('\\u000a', '\\n'))
  })

  it('reads nothing from standard input, whatever a model sends', async () => {
    const { results } = await run([['execute', { command: 'cat', input: 'from the model' }]])
    expect(results[0]).toMatch(/^\(no output\)/)
  })

  it('says what may hang when git did not end in time', async () => {
    const { results } = await run([execute('git commit -m x; sleep 100', 1), execute('echo git; sleep 100', 1)])
    expect(results.map((result) => result.includes('--no-verify'))).toEqual([true, false])
  })

  it('says what to do when git knows nobody to commit as, and only then', async () => {
    const refused = '*** Please tell me who you are.\n\nRun\n\n  git config --global user.email "you@example.com"\n'
    const git = (_: readonly string[], { complain }: { complain: (text: string) => void }) => {
      complain(refused)
      return 128
    }
    const { results } = await run([execute('git commit'), execute('git commit || true')], { programs: { git } })
    expect(results[0]).toContain('git -c user.name="NAME" -c user.email="ADDRESS" commit')
    expect(results[1]).not.toContain('NAME')
  })

  it('names what cannot be kept beside the output, and keeps the rest', async () => {
    const { results, files } = await run([execute('echo printed; mkfifo pipe; echo a > a')])
    expect(results[0]).toMatch(/^printed\n/)
    expect(results[0]).toContain('Not kept: /pipe (no file, folder or link).')
    expect(files).toEqual({ '/a': 'a\n' })
  })

  it('says what to do when a folder could not be renamed, as mv does', async () => {
    const git = (_: readonly string[], { complain }: { complain: (text: string) => void }) => {
      complain("fatal: renaming 'a' failed: Invalid cross-device link\n")
      return 128
    }
    const { results } = await run([execute('git mv a b')], { programs: { git } })
    expect(results[0]).toContain('Copy the folder and remove the old one')
  })

  it('keeps its changes when the disk has no room for what it left, and says so', async () => {
    const { results, files } = await run([execute('mkdir dist; echo built > dist/x; echo s > source'), execute('ls')], {
      files: { '/.gitignore': 'dist/\n' },
      layerRoom: 1,
    })
    expect(results[0]).toContain('What it left in ignored files was not kept. The disk is full. Its changes are kept.')
    expect(results[0]).not.toContain('stay for your next command')
    expect(files['/source']).toBe('s\n')
    expect(results[1]).toMatch(/^source\n/)
  })

  it('sees the branch, not the base', async () => {
    const { results } = await run(
      [
        ['write_file', { file_path: '/a', content: 'branch' }],
        ['delete', { path: '/b' }],
        execute('cat a; test -e b || echo gone'),
      ],
      {
        files: { '/a': 'base', '/b': 'base' },
      },
    )
    expect(results[2]).toContain('branchgone\n')
  })

  it('counts as failed when it reached a limit', () => {
    const end =
      'It used more than 4 GB of memory (sandbox.limits.memory_mb); the command and all it started were ended.'
    expect(failureIn(`It printed this.\n\n${end} 5.0 s.\nChanges: wrote /a.`)).toBe(`${end} 5.0 s.`)
  })

  it('keeps the changes of a failed command, and says how it ended', async () => {
    const { results, outcomes, files } = await run([
      execute('echo half > a; exit 3'),
      execute('echo x > b; sleep 9', 5),
      execute('nonsense'),
    ])
    expect(results.map((result) => /^(Exit|Timed)[^\n]*/m.exec(result)?.[0])).toEqual([
      'Exit code 3. 0.0 s.',
      'Timed out; the command and all it started were ended. 5.0 s.',
      'Exit code 127. 0.0 s.',
    ])
    expect([outcomes, files]).toEqual([['ok', 'ok', 'ok'], { '/a': 'half\n', '/b': 'x\n' }])
  })

  it('counts ignored files, which stay for the next command and never become changes', async () => {
    const { results, files } = await run(
      [execute('mkdir -p dist; echo built > dist/out.js; echo src > a'), execute('cat dist/out.js')],
      {
        files: { '/.gitignore': 'dist/\n' },
      },
    )
    expect(results[0]).toContain('1 ignored files changed (.git among them)')
    expect(results[1]).toContain('built\n')
    expect(Object.keys(files)).toEqual(['/.gitignore', '/a'])
  })

  it('names fifty changes and counts the others', async () => {
    const { results } = await run([
      execute('for a in 1 2 3 4 5 6; do for b in 0 1 2 3 4 5 6 7 8 9; do echo x > f$a$b; done; done'),
    ])
    expect(results[0]?.match(/wrote/g)).toHaveLength(50)
    expect(results[0]).toContain(' and 10 more.')
  })

  it.each([{}, { command: '' }, { command: 'x', timeout: 0 }, { command: 'x', timeout: 4000 }])(
    'refuses %j',
    async (input) => {
      const { outcomes, results } = await run([['execute', input]])
      expect([outcomes, results[0]]).toEqual([['error'], expect.stringContaining('Invalid arguments for execute')])
    },
  )
})

describe('run_js_code and run_js_file', () => {
  it('work on the branch, and return value, output and errors as JSON', async () => {
    const { results, files } = await run(
      [
        [
          'run_js_code',
          {
            code: "console.log('hi'); await fs.write('/b', (await fs.read('a')) + '!'); return { n: (await fs.list('/')).length }",
          },
        ],
      ],
      {
        files: { '/a': 'x', '/d/e': 'y' },
      },
    )
    expect(JSON.parse(results[0] ?? '')).toMatchObject({ ok: true, value: { n: 8 }, stdout: 'hi\n', error: null })
    expect(files).toEqual({ '/a': 'x', '/b': 'x!', '/d/e': 'y' })
  })

  it('read a script from the branch, and report a missing one', async () => {
    const { results, outcomes } = await run(
      [
        ['run_js_file', { file_path: '/s.js' }],
        ['run_js_file', { file_path: '/none.js' }],
        ['run_js_file', { file_path: '/../x.js' }],
      ],
      {
        files: { '/s.js': 'return 41 + 1' },
      },
    )
    expect(JSON.parse(results[0] ?? '')).toMatchObject({ value: 42 })
    expect(outcomes).toEqual(['ok', 'error', 'error'])
    expect(results[1]).toContain('/none.js')
  })

  it('name folders with a slash, and refuse a missing folder', async () => {
    const { results } = await run(
      [
        [
          'run_js_code',
          { code: "return [await fs.list('/d'), await fs.list('/none').catch((error) => error.message)]" },
        ],
      ],
      {
        files: { '/d/a': '', '/d/e/f': '' },
      },
    )
    expect(JSON.parse(results[0] ?? '').value).toEqual([['a', 'e/'], 'There is no folder /none.'])
  })
})

describe('run_python_code', () => {
  it('works in a mount of the branch, and turns what changed into changes of the branch', async () => {
    const { results, files } = await run([['run_python_code', { code: 'cat a; echo new > b; rm gone' }]], {
      files: { '/a': 'x', '/gone': 'y' },
    })
    expect(JSON.parse(results[0] ?? '')).toMatchObject({ ok: true, stdout: 'x', note: '2 files changed.' })
    expect(files).toEqual({ '/a': 'x', '/b': 'new\n' })
  })

  it('drops all changes of a failed run', async () => {
    const { outcomes, files } = await run([['run_python_code', { code: 'echo new > b; exit 1' }]])
    expect([outcomes, files]).toEqual([['error'], {}])
  })

  it('sees no file that may hold secrets, and cannot remove one with its folder', async () => {
    const { results, outcomes, files } = await run(
      [
        ['run_python_code', { code: 'ls -A keys; ls -A' }],
        ['run_python_code', { code: 'rm -r keys' }],
      ],
      {
        files: { '/keys/server.pem': privateKey, '/keys/readme': 'x', '/.git/config': 'y' },
      },
    )
    expect(JSON.parse(results[0] ?? '').stdout).toBe('readme\nkeys\n')
    expect([outcomes[1], results[1]]).toEqual([
      'error',
      expect.stringContaining('/keys/server.pem is protected by a rule or may hold secrets'),
    ])
    expect(files['/keys/server.pem']).toBe(privateKey)
  })

  it('leaves nothing behind that a later command would run', async () => {
    const { results } = await run(
      [
        ['run_python_code', { code: 'mkdir -p node_modules/.bin; echo evil > node_modules/.bin/tsc' }],
        execute('test -e node_modules/.bin/tsc || echo clean'),
      ],
      {
        files: { '/.gitignore': 'node_modules/\n' },
      },
    )
    expect(results[1]).toContain('clean')
  })
})

it.each([
  ['code', ['run_python_code', { code: 'mkdir dist; echo x > dist/x' }]],
  ['a command whose changes are refused', execute('mkdir dist; echo x > dist/x; rm -r keys')],
] as const)('%s leaves no layer', async (_who, call) => {
  const { world } = await run([call], { files: { '/.gitignore': 'dist/\n', '/keys/server.pem': privateKey } })
  expect(await world.services.mounts.layerUsage()).toEqual([])
})
