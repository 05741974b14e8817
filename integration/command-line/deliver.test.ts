import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ApiRequest } from '../../e2e/model-server/scenario.ts'
import { coppice } from './coppice.testkit.ts'
import { openRepository, runs, sh } from './repository.testkit.ts'

/** All of the repository and the folder but objects, new branches and their logs. */
const everything = `git for-each-ref refs/heads/main refs/tags refs/stash refs/remotes
find . -type f -not -path './.git/objects/*' -not -path '*/heads/fix*' -not -path '*/heads/made*' -print0 | sort -z | xargs -0 sha256sum`

const change = runs('echo 2 > app/a.txt; echo new > app/b.txt; chmod +x app/b.txt; ln -s a.txt app/link')

it('delivers changes as a commit of a new branch, adds to it, takes it back, and touches nothing else', async () => {
  await using world = await openRepository(change)
  const top = join(world.place, 'top')
  sh('echo mine >> app/a.txt; git stash -q; echo staged > s; git add s; echo loose > l; mkdir -p .git/hooks', top)
  sh('printf "#!/bin/sh\\ntouch ../../hook-ran\\n" > .git/hooks/reference-transaction; chmod +x .git/hooks/*', top)
  await world.run('top')
  const before = sh(everything, top)
  const plan = await world.verb(['deliver', 'last', '--to', 'fix', '--dry-run'])
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('To a new branch fix at')])
  expect(plan.stdout).toMatch(/commit\s+go\s+3 files/)

  const text = join(world.place, 'message')
  writeFileSync(text, 'Second\n\nWhy.\n')
  const words = ['--message', `@${text}`, '--trailer', 'thread', '--trailer', 'Co-authored-by: A <a@b>', '--json']
  const made = await world.verb(['deliver', 'last', '--to', 'fix', ...words])
  expect(made.code, made.stderr).toBe(0)
  const answer = JSON.parse(made.stdout)
  const tip = sh('git rev-parse fix', top).trim()
  expect(answer.delivered).toEqual([
    expect.objectContaining({ repository: '/', branch: 'fix', before: null, commits: [tip], files: 3 }),
  ])
  expect(sh('git log --format=%an%n%B main..fix', top)).toBe(
    `n\nSecond\n\nWhy.\n\nCoppice-Thread: ${answer.threadId}\nCo-authored-by: A <a@b>\n\n`,
  )
  await world.verb(['export', 'last', '--patch', world.patch])
  const clone = sh(`git clone -q top clone; cd clone; git apply --index ${world.patch}; git write-tree`, world.place)
  expect(sh('git rev-parse fix^{tree}', top)).toBe(clone)

  const again = await world.verb(['deliver', 'last', '--to', 'fix'])
  expect([again.code, again.stdout]).toEqual([0, 'No changes: fix has everything already.\n'])
  expect((await world.verb(['undo', 'last'])).stdout).toBe('Undone: delivery to fix\n')
  expect(sh('git for-each-ref --format="%(refname)" refs/heads', top)).toBe('refs/heads/main\n')
  expect(sh(everything, top)).toBe(before)
  expect(sh('git fsck --strict 2>&1 | grep -v dangling || true; ls ..', top)).not.toMatch(/error|missing|hook-ran/)
})

it('runs the hooks when asked to, and says what they change before it counts', async () => {
  await using world = await openRepository(change)
  const top = join(world.place, 'top')
  const script = 'echo looking; grep -q FIX app/a.txt || { echo FIX >> app/a.txt; exit 1; }; echo more >> app/b.txt'
  sh(
    `mkdir -p .git/hooks; printf '#!/bin/sh\n${script}\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
    top,
  )
  await world.run('top')
  const deliver = (...words: readonly string[]) => world.verb(['deliver', 'last', '--to', 'fix', ...words])
  const branches = () => sh('git for-each-ref --format="%(refname:short)" refs/heads', top).trim()
  const refused = await deliver('--hooks')
  expect([refused.code, branches()]).toEqual([1, 'main'])
  expect(refused.stdout).toContain(
    'The hook pre-commit refused (exit code 1).\n  hooks     /app/a.txt  modify  +1 −0\n',
  )
  expect(refused.stderr).toContain('looking\n')
  const facts = await deliver('--hooks', '--json')
  expect([facts.code, JSON.parse(facts.stdout).hooks]).toEqual([
    1,
    expect.objectContaining({
      ran: [{ repository: '/', hooks: ['pre-commit'] }],
      problem: 'The hook pre-commit refused (exit code 1).',
      files: [expect.objectContaining({ path: '/app/a.txt', added: 1 })],
    }),
  ])
  const taken = await deliver('--hooks', '--hook-changes', 'take', '--json')
  // Their second run passes, and changes another file, about which nobody has decided.
  expect(taken.code, taken.stderr).toBe(0)
  expect(JSON.parse(taken.stdout).hooks).toMatchObject({ problem: null, taken: ['/app/a.txt', '/app/b.txt'] })
  expect(sh('git show fix:app/a.txt fix:app/b.txt', top)).toBe('2\nFIX\nnew\nmore\n')
  const undecided = await world.verb(['deliver', 'last', '--to', 'made', '--hooks'])
  expect([undecided.code, branches()]).toEqual([3, 'fix\nmain'])
  const left = await world.verb(['deliver', 'last', '--to', 'made', '--hooks', '--hook-changes', 'leave'])
  expect([left.code, left.stdout]).toEqual([0, expect.stringContaining('The hooks let it pass: pre-commit.')])
  expect(sh('git show made:app/b.txt', top)).toBe('new\nmore\n')
  const senseless = await deliver('--hook-changes', 'take')
  expect([senseless.code, senseless.stderr]).toEqual([2, expect.stringContaining('Add --hooks, or leave it out.')])
})

it('a run asks the hooks before it delivers, and reports what became of it', async () => {
  await using world = await openRepository(change)
  const top = join(world.place, 'top')
  const script = 'grep -q FIX app/a.txt || echo FIX >> app/a.txt; ! grep -q NEVER app/*'
  sh(
    `mkdir -p .git/hooks; printf '#!/bin/sh\n${script}\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
    top,
  )
  const run = (to: string, ...words: readonly string[]) =>
    world.run('top', '--deliver', to, '--json', '--hooks', ...words)
  const branches = () => sh('git for-each-ref --format="%(refname:short)" refs/heads', top).trim()
  const undecided = await run('fix', '--patch', world.patch)
  expect([undecided.code, undecided.events.at(-1), branches()]).toEqual([
    3,
    expect.objectContaining({
      ...{ status: 'interrupted', reason: 'not_delivered' },
      message: expect.stringMatching(/coppice deliver \S+ --to fix --hooks --hook-changes take, or leave/),
      hooks: expect.objectContaining({ problem: null, files: [expect.objectContaining({ path: '/app/a.txt' })] }),
    }),
    'main',
  ])
  const taken = await run('fix', '--hook-changes', 'take', '--patch', world.patch)
  expect([taken.code, taken.events.at(-1)]).toEqual([
    0,
    expect.objectContaining({
      status: 'done',
      hooks: expect.objectContaining({ taken: ['/app/a.txt'], files: [] }),
      delivered: [expect.objectContaining({ branch: 'fix' })],
    }),
  ])
  expect(sh('git show fix:app/a.txt', top)).toBe('2\nFIX\n')
  // The patch of the same run has what was taken. Mutation: with the patch written before the hooks, it has not.
  expect(sh(`grep FIX ${world.patch}`, top)).toBe('+FIX\n')
  sh('echo NEVER > app/never', top)
  const refused = await run('other', '--hook-changes', 'leave')
  expect([refused.code, refused.events.at(-1)]).toEqual([
    1,
    expect.objectContaining({ reason: 'not_delivered', message: expect.stringContaining('pre-commit refused') }),
  ])
  const senseless = await world.run('top', '--hooks')
  expect([senseless.code, senseless.stderr]).toEqual([2, expect.stringContaining('Add --deliver BRANCH')])
  const alone = await world.run('top', '--deliver', 'fix', '--hook-changes', 'take')
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('Add --hooks')])
})

it('lets a model write the messages, and delivers none of its own when there is no answer', async () => {
  const proposed = { messages: ['Grow a\n\nIt was too small.'] }
  let answer = JSON.stringify(proposed)
  const isQuestion = (request: ApiRequest) => JSON.stringify(request.system ?? '').includes('messages of commits')
  await using world = await openRepository((request, seen) =>
    isQuestion(request) ? { text: answer } : change(request, seen),
  )
  const top = join(world.place, 'top')
  const keys = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: world.server.url }
  const verb = (...words: readonly string[]) =>
    coppice(['deliver', 'last', '--to', 'fix', '--propose', ...words, '--data-dir', join(world.place, 'data')], keys)
  await world.run('top')
  const senseless = await verb('--message', 'x')
  expect([senseless.code, senseless.stderr]).toEqual([2, expect.stringContaining('exclude each other')])
  const dry = await verb('--dry-run')
  expect([dry.code, dry.stdout]).toEqual([
    0,
    expect.stringMatching(/commit +Grow a {2}3 files\n\n +It was too small\.\n/),
  ])
  expect(dry.stderr).toMatch(/Proposed by \S+ \(.*\$0\.01\)\./)
  answer = 'I would rather not.'
  const refused = await verb()
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('cannot be used')])
  expect(sh('git branch --list fix', top)).toBe('')
  answer = JSON.stringify(proposed)
  expect((await verb('--trailer', 'A: b')).code).toBe(0)
  expect(sh('git log -1 --format=%B fix', top)).toBe('Grow a\n\nIt was too small.\n\nA: b\n\n')
})

it('delivers a change without the lines of the person around it, and asks where that cannot be', async () => {
  await using world = await openRepository(
    runs('sed -i s/1/one/ app/a.txt; echo agent >> mine; sed -i s/x/y/ app/c.txt'),
    'seq 9 > app/a.txt; echo x > app/c.txt; git add -A; git commit -qm lines; sed -i s/9/nine/ app/a.txt; echo x2 > app/c.txt; echo p > mine',
  )
  const top = join(world.place, 'top')
  await world.run('top')
  const open = await world.verb(['deliver', 'last', '--to', 'fix'])
  expect([open.code, open.stdout]).toEqual([3, expect.stringMatching(/conflict\s+\/app\/c.txt/)])
  expect(open.stdout).toMatch(/left\s+\/mine {2}It changes a file of yours that is in no commit/)
  expect(sh('git branch --list fix', top)).toBe('')

  const made = await world.verb(['deliver', 'last', '--to', 'fix', '--theirs', 'app/c.txt'])
  expect(made.stdout).toMatch(/joined\s+\/app\/a.txt {2}Without the lines of yours that are in no commit/)
  expect(sh('git diff -U0 main fix | grep ^[-+]; git ls-tree --name-only fix', top)).toBe(
    '--- a/app/a.txt\n+++ b/app/a.txt\n-1\n+one\napp\n',
  )
  await world.verb(['deliver', 'last', '--to', 'fix-all', '--uncommitted', 'include'])
  expect(sh('git show fix-all:app/a.txt | sed -n "1p;9p"; git show fix-all:app/c.txt fix-all:mine', top)).toBe(
    'one\nnine\ny2\np\nagent\n',
  )
})

it('delivers what agents committed as it is, and pushes it', async () => {
  await using world = await openRepository(
    runs(
      'git config user.name agent; echo 2 > app/a.txt; git commit -qam two; git checkout -qb side; echo 3 > x; git add x; git commit -qm three; git checkout -q main; git merge -q --no-ff -m join side',
    ),
    'git init -q --bare ../remote.git; git remote add origin ../remote.git; git push -q origin main',
  )
  const top = join(world.place, 'top')
  await world.run('top')
  const several = await world.verb(['deliver', 'last', '--to', 'made', '--commits', 'agent'])
  expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('Choose one with --commit ID.')])
  const id = /([0-9a-f]{10}) \(main\) join/.exec(several.stderr)?.[1] ?? ''
  // Mutation: when the flag is not looked at, this makes the branch.
  const dry = await world.verb(['deliver', 'last', '--to', 'made', '--commits', 'agent', '--commit', id, '--dry-run'])
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/^To the branch made: [0-9a-f]{10} “join”/)])
  const senseless = await world.verb(['deliver', 'last', '--to', 'made', '--commits', 'agent', '--per', 'todo'])
  expect([senseless.code, senseless.stderr]).toEqual([2, expect.stringContaining('leave --per or --commits agent out')])
  expect(sh('git branch --list made', top)).toBe('')
  const bin = join(world.place, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'gh'),
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${world.place}/gh-got\necho https://x.example/pull/1\n`,
  )
  chmodSync(join(bin, 'gh'), 0o755)
  // Mutation: without the check of the folder, this one runs.
  sh('mkdir tools; printf "#!/bin/sh\ntouch ../evil" > tools/gh; chmod +x tools/gh', top)
  const path = process.env.PATH
  process.env.PATH = `${top}/tools:${bin}:${path}`
  try {
    const words = ['--commits', 'agent', '--commit', id, '--pr', '--title', 'Join', '--draft']
    const made = await world.verb(['deliver', 'last', '--to', 'made', ...words, '--json'])
    expect(made.code, made.stderr).toBe(0)
    expect(JSON.parse(made.stdout).delivered).toEqual([
      expect.objectContaining({ branch: 'made', remote: 'origin', pull_request: 'https://x.example/pull/1' }),
    ])
  } finally {
    process.env.PATH = path
  }
  expect(sh('git log --format=%s main..made | sort; git fsck --strict', top)).toBe('join\nthree\ntwo\n')
  expect(sh('git rev-parse made', top)).toBe(sh('git -C ../remote.git rev-parse made', top))
  expect(sh('ls', world.place)).not.toContain('evil')
  expect(sh('cat gh-got', world.place)).toBe('pr\ncreate\n--head\nmade\n--title\nJoin\n--body\n\n--draft\n')
})

it('tells what was delivered when the push fails, and pushes it when asked again', async () => {
  await using world = await openRepository(change, 'git init -q --bare ../one.git')
  const top = join(world.place, 'top')
  await world.run('top')
  const push = async () => {
    const { code, stdout } = await world.verb([
      'deliver',
      'last',
      '--to',
      'fix',
      '--message',
      'Fix',
      '--push',
      '--json',
    ])
    const { delivered } = JSON.parse(stdout)
    return [code, delivered[0]?.branch, delivered[0]?.push_problem]
  }
  expect(await push()).toEqual([1, 'fix', expect.stringContaining('The repository has no remote.')])
  sh('git remote add a ../one.git; git remote add b ../none.git', top)
  expect(await push()).toEqual([1, 'fix', expect.stringContaining('The repository has several remotes: a, b.')])
  sh(
    'printf "#!/bin/sh\necho not on a Sunday\nexit 1\n" > ../one.git/hooks/pre-receive; chmod +x ../one.git/hooks/pre-receive; git remote remove b',
    top,
  )
  const refused = await world.verb(['deliver', 'last', '--to', 'fix', '--push'])
  expect([refused.code, refused.stderr, refused.stdout]).toEqual([
    1,
    expect.stringContaining('not on a Sunday'),
    expect.stringContaining('The push failed. By hand: git push a fix'),
  ])
  sh('rm ../one.git/hooks/pre-receive', top)
  expect(await push()).toEqual([0, 'fix', null])
  expect(sh('git -C ../one.git rev-parse fix', top)).toBe(sh('git rev-parse fix', top))
  expect(sh('git log --format=%s main..fix', top)).toBe('Fix\n')
})

// Mutation: without `onStop` the push goes on until the hook ends.
it('Ctrl+C during a push ends everything that it started, and the commits stay', async () => {
  await using world = await openRepository(change, 'git init -q --bare ../one.git; git remote add origin ../one.git')
  const top = join(world.place, 'top')
  await world.run('top')
  const hook = join(top, '.git/hooks/pre-push')
  mkdirSync(join(top, '.git/hooks'), { recursive: true })
  writeFileSync(hook, '#!/bin/sh\ntouch ../begun; sleep 600; touch ../went-on\n')
  chmodSync(hook, 0o755)
  const ended = await world.verb(['deliver', 'last', '--to', 'fix', '--push'], {
    begun: ({ stop }) =>
      void expect
        .poll(() => existsSync(join(world.place, 'begun')))
        .toBe(true)
        .then(stop),
  })
  expect([ended.code, ended.stdout]).toEqual([
    130,
    expect.stringContaining('The push was stopped. By hand: git push origin fix'),
  ])
  expect(existsSync(join(world.place, 'went-on'))).toBe(false)
  expect(sh('git -C ../one.git for-each-ref; git rev-parse --verify -q fix > /dev/null && echo made', top)).toBe(
    'made\n',
  )
})

it('a run delivers, and says in words why it cannot', async () => {
  await using world = await openRepository(change)
  const made = await world.run('top', '--deliver', 'fix', '--json')
  expect(made.events.at(-1)).toMatchObject({
    status: 'done',
    delivered: [{ repository: '/', branch: 'fix', commits: [expect.stringMatching(/^[0-9a-f]{40}$/)] }],
  })
  await world.run('top', '--deliver', 'parts', '--deliver-per', 'message', '--json')
  expect(sh('git log --format=%s main..parts', join(world.place, 'top'))).toBe('go\n')
  const senseless = await world.run('top', '--deliver-per', 'message')
  expect([senseless.code, senseless.stderr]).toEqual([2, expect.stringContaining('Add --deliver BRANCH')])
  const refused = await world.run('top', '--deliver', 'main', '--json')
  expect(refused.events.at(-1)).toMatchObject({
    reason: 'not_delivered',
    message: expect.stringContaining('The branch main is checked out in'),
  })
  for (const [words, message] of [
    [['--to', 'a..b'], '"a..b" is no name for a branch of git'],
    [['--to', 'x', '--base', 'nowhere'], 'The repository has no commit "nowhere"'],
    [['--to', 'fix/a'], "cannot lock ref 'refs/heads/fix/a'"],
    [[], 'deliver needs --to BRANCH'],
    [['--to', 'x', 'origin'], 'To push there, add --push'],
  ] as const) {
    const wrong = await world.verb(['deliver', 'last', ...words])
    expect([wrong.code !== 0, wrong.stderr]).toEqual([true, expect.stringContaining(message)])
  }
})
