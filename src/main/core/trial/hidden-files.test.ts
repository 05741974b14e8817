import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ServicesOptions } from '../agent/agent-services.testkit.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { noRules } from '../approval/rules.ts'
import { callingInTurn } from '../ports/model-client.testkit.ts'

type Call = readonly [string, object]

const key = '-----BEGIN PRIVATE KEY-----\nMIIcanary\n-----END PRIVATE KEY-----\n'
const files = {
  '/a.txt': 'a\n',
  '/.env': 'TOKEN=canary\n',
  '/app/.env.local': 'TOKEN=canary\n',
  '/deploy': key,
  '/settings.yml': `token: ghp_${'a1B2'.repeat(9)} canary\n`,
  '/priv/p.txt': 'canary\n',
  '/priv/open.md': 'open\n',
  '/.npmrc': 'legacy-peer-deps=true\n',
  '/.gitignore': 'local/\n*.local.json\nnode_modules/\n',
  '/local/deploykey': key,
  '/tok.local.json': `{"token": "ghp_${'a1B2'.repeat(9)}", "canary": 1}`,
  '/node_modules/p/test/fixture': key,
}
const rules = { ...noRules, allow: ['execute', 'run_python_code', 'run_js_code'], deny: ['Read(priv/p.txt)'] }

/** Makes the calls, one per turn, and returns their results. Nobody is asked. */
async function run(calls: readonly Call[], given = rules, options: Partial<ServicesOptions> = {}) {
  const world = await openWorld({
    settings: { policy: { interruptOn: new Map(), commands: 'before' as const, rules: given } },
    files,
    ...options,
    script: callingInTurn(calls),
  })
  const id = await world.run('main')
  const { interrupts } = world.thread(id)
  const results = Object.values(world.results(id))
  expect(results.length + interrupts.length).toBeGreaterThan(0)
  return { result: results[0] ?? '', last: results.at(-1) ?? '', files: await world.files(id), asked: interrupts }
}
const execute = (command: string): Call => ['execute', { command }]

// Mutation: when `openTrial` hides nothing, most of these commands print the canary.
describe('a command', () => {
  it.each([
    'cat priv/p.txt',
    'cat .env app/.env.local',
    'cat deploy',
    'cat settings.yml',
    'cp .env copy; cat copy',
    'mv priv other; cat other/*',
    'cat "$(ls -a | grep env)"',
    'grep -r canary . ; find . -type f -exec cat {} +',
    'ln -s priv/p.txt link; cat link',
    'ln deploy hard; cat hard',
    'tar cf - . | strings',
  ])('cannot show a file that may not be read: %s', async (command) => {
    const { result, files: after } = await run([execute(command)])
    expect(result).not.toMatch(/\bcanary\b|MIIcanary/)
    expect(JSON.stringify(Object.entries(after).filter(([path]) => !(path in files)))).not.toContain('canary')
  })

  // Mutation: judged by its new path alone, a moved file would be one that agents made.
  it.each([
    ['/app', '/zap', 'cat zap/.env.local'],
    ['/priv', '/zap', 'cat zap/*'],
  ])('cannot show a secret file below a moved folder: %s', async (from, to, command) => {
    const { last } = await run([['move', { from, to }], execute(command)])
    expect(last).not.toContain('canary')
    const python = await run([
      ['move', { from, to }],
      ['run_python_code', { code: `cat .${to}/.env.local; ls .${to}` }],
    ])
    expect(python.last).not.toContain('canary')
  })

  it.each(['cat local/deploykey', 'cat tok.local.json'])(
    'cannot show a secret file that is ignored by git: %s',
    async (command) => {
      expect((await run([execute(command)])).result).not.toMatch(/\bcanary\b|MIIcanary/)
    },
  )

  it('sees the keys of packages', async () => {
    expect((await run([execute('cat node_modules/p/test/fixture')])).result).toContain('MIIcanary')
  })

  it('still sees the other files, and settings without credentials', async () => {
    const { result } = await run([execute('cat a.txt priv/open.md .npmrc')])
    expect(result).toContain('a\nopen\nlegacy-peer-deps=true\n')
    expect(result).not.toContain('hidden')
  })

  it.each(['rm -r priv', 'rm -r app', 'rm -rf priv app', 'echo x > .env', 'echo x > priv/p.txt', 'mkdir -p deploy/x'])(
    'changes nothing when it would change or remove a hidden file: %s',
    async (command) => {
      const { result, files: after } = await run([execute(`echo b > b.txt; ${command}; echo printed`)])
      expect(result).toContain('None of the changes were kept')
      expect(result).toContain('printed')
      expect(after).toEqual(files)
    },
  )

  it('is told by name which hidden file it seems to need', async () => {
    const { result } = await run([execute('node --env-file=.env x.js; cat app/.env.local')])
    expect(result).toContain('/.env, /app/.env.local were hidden from it')
    expect(result).toContain('Read(.env)')
    expect((await run([execute('exit 3')])).result).toContain(
      '/deploy, /local/deploykey, /priv/p.txt, /settings.yml, /tok.local.json were hidden from it',
    )
    expect((await run([execute('true')])).result).not.toContain('hidden')
  })

  // A build lists a folder and takes what is there, so nobody sees that something is missing.
  it('is told which files were hidden when it wrote something, though it succeeded', async () => {
    const built = 'were hidden from it: protected by a rule, or may hold secrets. What it wrote was made without them.'
    const { result } = await run([execute('ls > built.txt; echo 1 > node_modules/x')])
    expect(result).toContain(built)
    const python: Call = ['run_python_code', { code: 'echo 1 > made.txt' }]
    expect((await run([python])).result).toContain(built)
    // Said once for the same files; one that is named, or a failure, is explained again.
    const again = await run([execute('ls > built.txt'), execute('ls > other.txt')])
    expect(again.last).toMatch(/\nThe \d+ hidden files named before were missing here, too\.$/)
    expect(again.last).not.toContain(built)
    expect((await run([execute('ls > built.txt'), execute('ls .env > other.txt; true')])).last).toContain(built)
    expect((await run([python, ['run_python_code', { code: 'echo 2 > made.txt' }]])).last).toContain(
      'hidden files named before',
    )
  })

  it('sees keys that agents made on the branch, unless a rule names them', async () => {
    const make: Call = ['write_file', { file_path: '/test/server.key', content: key }]
    expect((await run([make, execute('cat test/server.key')])).last).toContain('MIIcanary')
    const denied = { ...rules, deny: ['Read(test/**)'] }
    expect((await run([make, execute('cat test/server.key')], denied)).last).not.toContain('MIIcanary')
  })

  it('sees a file that a rule allows', async () => {
    const { result } = await run([execute('cat .env')], { ...rules, allow: [...rules.allow, 'Read(.env)'] })
    expect(result).toContain('TOKEN=canary')
  })
})

it.each([
  ['run_js_code', { code: 'fs.read("/deploy")' }],
  ['run_js_code', { code: 'fs.read("/settings.yml")' }],
  // Scripts of the machine in memory, which has no Python.
  ['run_python_code', { code: 'cat deploy' }],
  ['run_python_code', { code: 'cat settings.yml' }],
  ['grep', { pattern: '.', output_mode: 'content' }],
] as const)('%s cannot show a file that is secret by its content: %j', async (name, input) => {
  const { result } = await run([[name, input]])
  expect(result).not.toMatch(/\bcanary\b|MIIcanary/)
})

it.each([
  ['read_file', { file_path: '/deploy' }],
  ['read_file', { file_path: '/settings.yml' }],
  ['grep', { pattern: '.', path: '/deploy', output_mode: 'content' }],
  ['move', { from: '/deploy', to: '/notes.txt' }],
] as const)('%s asks about a file that is secret by its content: %j', async (name, input) => {
  const { asked } = await run([[name, input]])
  expect(asked[0]?.action_requests).toHaveLength(1)
  expect(JSON.stringify(asked[0])).toContain('may hold secrets')
})

it('a key in a binary file or an archive is hidden from a command', async () => {
  const archive = `deploykey${'\0'.repeat(100)}${key}`
  const world = { ...files, '/backup.bin': `\0\u0001\n${key}`, '/keys.tar': archive }
  const { result } = await run([execute('cat backup.bin keys.tar')], rules, { files: world })
  expect(result).not.toContain('MIIcanary')
})

/** Notices a scan that is taken as complete although it was cut. */
it('files that a cut search for secrets did not reach are hidden, and the result says so', async () => {
  const options = { unsearched: ['/a.txt', '/deploy', '/priv/open.md'] as VirtualPath[] }
  const { result } = await run([execute('cat a.txt priv/open.md; cat deploy')], rules, options)
  expect(result).not.toMatch(/^open$|MIIcanary/m)
  expect(result).toContain('so what it did not reach was hidden: /a.txt and 2 more files')
  const python = await run([['run_python_code', { code: '1' }]], rules, options)
  expect(python.result).toContain('/a.txt and 2 more files')
  const allowed = { ...rules, allow: [...rules.allow, 'Read(a.txt)'] }
  expect((await run([execute('cat a.txt')], allowed, options)).result).toContain('/deploy and 1 more files')
})

const publicKey = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQINsig canary\n-----END PGP PUBLIC KEY BLOCK-----\n'

/**
 * Each way to the bytes of a file judges alike. Mutation: each fails when its way asks `mayRead` about the name instead of
 * `mayShow` about the content.
 */
describe.each([
  ['read_file', (path: string): Call => ['read_file', { file_path: path }]],
  ['grep of the file', (path: string): Call => ['grep', { pattern: '.', path, output_mode: 'content' }]],
  ['grep of its folder', (path: string): Call => ['grep', { pattern: '.', path: path.replace(/\/[^/]+$/, '') }]],
  ['code', (path: string): Call => ['run_js_code', { code: `fs.read(${JSON.stringify(path)})` }]],
  ['Python', (path: string): Call => ['run_python_code', { code: `cat .${path}` }]],
  ['a command', (path: string): Call => ['execute', { command: `cat .${path}` }]],
  ['ls of its folder', (path: string): Call => ['ls', { path: path.replace(/\/[^/]+$/, '') }]],
] as const)('%s', (_door, call) => {
  it.each([
    ['/src/auth.json', '{"AUTH": {"arguments": [{"name": "password", "type": "string"}], "note": "canary"}}'],
    ['/sig/release.key', publicKey],
    ['/conversation_history/a.md', 'canary\n'],
    ['/credentials/readme.md', 'canary\n'],
  ])('shows %s, which has only its name', async (path, content) => {
    const { result, asked } = await run([call(path)], rules, { files: { [path]: content } })
    expect(asked).toEqual([])
    expect(result).toMatch(/canary|release\.key|auth\.json|\.md/)
    expect(result).not.toMatch(/may hold secrets|not be read|hidden/)
  })
})

// Mutations: without the look at commits the first sees no key; without its test of rules the second shows one; without its
// test of the view the third does.
describe('a file as it is committed', () => {
  const committed = { '/deploy': key }

  it('is shown to a command, which could ask git for it', async () => {
    expect((await run([execute('cat deploy')], rules, { committed })).result).toContain('MIIcanary')
  })

  it('is hidden by a rule all the same', async () => {
    const denied = { ...rules, deny: ['Read(deploy)'] }
    expect((await run([execute('cat deploy')], denied, { committed })).result).not.toContain('MIIcanary')
  })

  it('is hidden from Python, which sees no repository, and when it was changed since', async () => {
    const python: Call = ['run_python_code', { code: 'cat deploy' }]
    expect((await run([python], rules, { committed })).result).not.toContain('MIIcanary')
    const changed = { '/deploy': `${key}more\n` }
    expect((await run([execute('cat deploy')], rules, { committed: changed })).result).not.toContain('MIIcanary')
  })
})
